package io.rxe.net;

import io.rxe.stress.Race;
import java.util.List;
import java.util.function.Supplier;

/** The races of rxe-net. */
public final class NetRaces implements Supplier<List<Race>> {
    @Override
    public List<Race> get() {
        return List.of(new WakeRace(), new OwnershipRace(), new EndOfPollingRace());
    }
}
