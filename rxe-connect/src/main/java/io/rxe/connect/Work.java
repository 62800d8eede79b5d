package io.rxe.connect;

/** The ids of work requests: what a completion is for. */
final class Work {
    static final int RECEIVE = 0;
    static final int MESSAGE = 1;
    static final int CREDIT_MESSAGE = 2;
    static final int ONE_SIDED = 3;

    private Work() {
    }

    static long id(int kind, int slot) {
        return (long) kind << Integer.SIZE | slot;
    }

    static int kind(long id) {
        return (int) (id >>> Integer.SIZE);
    }

    static int slot(long id) {
        return (int) id;
    }
}
