package io.rxe.sim;

import java.util.Set;

/** Entry point of a simulation that was loaded by a {@link DefectClassLoader}. */
public final class DefectProbe {
    private DefectProbe() {
    }

    /**
     * Runs a seed.
     *
     * @param faultProfile replaces the profile of the seed, unless it is null.
     * @param features     the features of the run, with commas between them; null for none.
     * @return the failure, or null.
     */
    public static String run(long seed, String faultProfile, String features) {
        try {
            SimulationOptions.FaultProfile profile = faultProfile == null ? null : SimulationOptions.FaultProfile.valueOf(faultProfile);
            SimulationOptions options = SimulationOptions.draw(seed, profile, features == null ? Set.of() : Feature.parse(features));
            new Simulation(options, null).run();
            if (options.has(Feature.XRC)) {
                new XrcSimulation(options).run();
            }
            return null;
        } catch (RuntimeException | AssertionError e) {
            return e.toString();
        }
    }
}
