package io.rxe.examples;

/** Ends an example that was started with too few arguments, and says which it takes. */
final class Usage {
    private Usage() {
    }

    static void require(String[] arguments, int least, String usage) {
        if (arguments.length < least) {
            System.err.println("usage: " + usage);
            System.exit(2);
        }
    }
}
