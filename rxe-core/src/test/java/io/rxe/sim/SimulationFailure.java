package io.rxe.sim;

/** Something happened that the rules do not allow; the message says what. */
final class SimulationFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    SimulationFailure(String message) {
        super(message);
    }

    SimulationFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
