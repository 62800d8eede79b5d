package io.rxe.stress;

import java.util.List;
import java.util.function.Supplier;

/** The races of rxe-core. */
public final class CoreRaces implements Supplier<List<Race>> {
    @Override
    public List<Race> get() {
        return List.of(new RingRace(), new DoorbellRace(), new ArmingRace(), new PostingRace(), new PollingRace(),
            DeregistrationRace.closing(), DeregistrationRace.moving(), new ReregistrationRace(), new RegionChangesRace(),
            AwaitRace.wakeup(), AwaitRace.signalAndWakeup(), AwaitRace.lastQueueClosed(), AttachingRace.closingAndCreating(),
            AttachingRace.closingBoth());
    }
}
