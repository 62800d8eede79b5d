package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Connecting on a path that loses packets")
@Timeout(240)
class LossyConnectTest {
    private static final int CONNECTS = 600;

    @Test
    @DisplayName("600 connects at 20 % loss each way: all are established")
    void everyConnectIsEstablished() throws Exception {
        try (Pair pair = new Pair("loss 20%", 1)) {
            pair.listen(ConnectOptions.defaults().withDepths(4, 4).withOneSidedDepth(1), set -> { });
            pair.client = new RxeClient(pair.clientNic);
            List<CompletableFuture<RxeConnection>> connects = new ArrayList<>();
            for (int i = 0; i < CONNECTS; i++) {
                connects.add(pair.client.connect(Pair.SERVER, Pair.PORT, ConnectOptions.defaults().withDepths(4, 4).withOneSidedDepth(1),
                    set -> { }).connected());
            }
            for (CompletableFuture<RxeConnection> connect : connects) {
                assertTrue(Pair.get(connect).isOpen());
            }
        }
    }
}
