package io.rxe.qp.completer;

/** Credit codes of a positive acknowledgement: how many more messages the peer has receive requests for (rule Q15). */
final class Credits {
    private static final int UNLIMITED = 31;

    private Credits() {
    }

    /** Credits of a code 0 to 30: 0, 1, 2, 3, 4, 6, 8, 12, 16, ... 32768. */
    static int ofCode(int code) {
        if (code < 0 || code >= UNLIMITED) {
            throw new IllegalArgumentException("credit code " + code + " is not in 0..30");
        }
        if (code < 2) {
            return code;
        }
        int power = 1 << code / 2;
        return code % 2 == 0 ? power : power + power / 2;
    }
}
