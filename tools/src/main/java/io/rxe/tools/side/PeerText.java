package io.rxe.tools.side;

/** Text that a peer sent, made safe to print. */
public final class PeerText {
    private PeerText() {
    }

    /** Replaces every character but printable ASCII by a question mark: a peer must not send control sequences to our terminal. */
    public static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
