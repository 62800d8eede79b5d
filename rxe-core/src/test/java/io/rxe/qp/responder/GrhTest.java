package io.rxe.qp.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.port.Flow;
import io.rxe.verbs.AddressVector;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The global route header in front of a datagram")
class GrhTest {
    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.2, 0", "10.0.0.1, 10.0.0.2, 187", "fd00::1, fd00::2, 0", "fd00::1, fd00::2, 187"})
    @DisplayName("tells the sender's address and the traffic class, as IPv4 and as IPv6")
    void senderAndClass(String from, String to, int trafficClass) {
        ByteBuffer header = ByteBuffer.allocate(Grh.LENGTH);
        Grh.write(new UnsafeBuffer(header), new Flow(Gid.parse(from), Gid.parse(to), 50000, 4791, trafficClass), 100);
        AddressVector sender = AddressVector.ofSender(header);
        assertEquals(Gid.parse(from), sender.destination());
        assertEquals(trafficClass, sender.trafficClass());
    }
}
