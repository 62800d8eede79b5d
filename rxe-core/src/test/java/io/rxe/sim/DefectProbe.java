package io.rxe.sim;

/** The door through which a test reaches a simulation that was loaded by a {@link DefectClassLoader}. */
public final class DefectProbe {
    private DefectProbe() {
    }

    /** Runs a seed in a weather, or in its own when that is null; answers what went wrong, or null. */
    public static String run(long seed, String weather) {
        try {
            new Simulation(SimulationOptions.draw(seed, weather == null ? null : SimulationOptions.Weather.valueOf(weather)), null).run();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return e.toString();
        }
    }
}
