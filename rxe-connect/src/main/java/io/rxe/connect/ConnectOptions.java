package io.rxe.connect;

import io.rxe.cm.ConnectParameters;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sizes and times of a connection. Immutable; start from {@link #defaults}. The two sides of a connection may differ.
 *
 * @param messageBytes       longest message this side can receive, and longest copy of a one-sided operation, in bytes, 1 to 16 MiB; 4096.
 * @param sendDepth          messages this side can have in flight, 1 to 8192; 64.
 * @param receiveDepth       messages of the peer that wait for {@code onMessage} at most, 1 to 8192; 64. A side that only receives sends a
 *                           message with credits for each half of them: for many short messages a multiple of the peer's sendDepth is
 *                           faster.
 * @param oneSidedDepth      one-sided operations this side can have in flight, 1 to 8192; 64.
 * @param connectTimeoutNs   longest wait for the answer to a request to connect, in nanoseconds, at least 1; 60 s.
 * @param failureTimeoutNs   how long the peer may be silent before a request fails and the connection ends, in nanoseconds, at least 1 ms;
 *                           8 s, which a stopped process, a breakpoint and a collection of garbage survive. For both sides; that of the
 *                           side that connects counts. The connection ends within the fourth part more, see {@link #withFailureTimeout}.
 * @param privateData        what the application of the peer receives with the request or the answer; empty. At most
 *                           {@link #MAX_REQUEST_DATA} bytes to connect and {@link #MAX_ANSWER_DATA} bytes to accept.
 * @param tuning             changes the parameters of connection management, for example retries and the transport timer; nothing. Runs
 *                           for each connection, on the thread that connects or accepts.
 */
public record ConnectOptions(int messageBytes, int sendDepth, int receiveDepth, int oneSidedDepth, long connectTimeoutNs,
                             long failureTimeoutNs, byte[] privateData, Consumer<ConnectParameters> tuning) {
    /** Most bytes of private data of a client. */
    public static final int MAX_REQUEST_DATA = 56 - Greeting.BYTES;
    /** Most bytes of private data of a server. */
    public static final int MAX_ANSWER_DATA = 196 - Greeting.BYTES;
    /** Longest message. */
    public static final int MAX_MESSAGE_BYTES = 16 << 20;
    /** Most messages or one-sided operations in flight. */
    public static final int MAX_DEPTH = 8192;
    private static final long MAX_MEMORY_BYTES = 1 << 30;
    private static final long MIN_FAILURE_TIMEOUT_NS = 1_000_000;
    private static final long MAX_FAILURE_TIMEOUT_NS = TimeUnit.HOURS.toNanos(1);
    /** The unit of the transport timer's code. */
    private static final long TIMER_UNIT_NS = 4096;
    /** Fewer retries would make a connection depend on single packets. */
    private static final int MIN_RETRIES = 4;
    private static final int MAX_RETRIES = 7;

    /** @throws IllegalArgumentException for a value out of range. What needs more than 1 GiB of buffers together is refused where used. */
    public ConnectOptions {
        Objects.requireNonNull(privateData, "the private data is null: give an array, of 0 bytes for none");
        Objects.requireNonNull(tuning, "the tuning is null: give a function, or leave it out");
        check("messageBytes", messageBytes, MAX_MESSAGE_BYTES);
        check("sendDepth", sendDepth, MAX_DEPTH);
        check("receiveDepth", receiveDepth, MAX_DEPTH);
        check("oneSidedDepth", oneSidedDepth, MAX_DEPTH);
        if (connectTimeoutNs < 1) {
            throw new IllegalArgumentException("connectTimeoutNs " + connectTimeoutNs + " < 1: give nanoseconds");
        }
        if (failureTimeoutNs < MIN_FAILURE_TIMEOUT_NS || failureTimeoutNs > MAX_FAILURE_TIMEOUT_NS) {
            throw new IllegalArgumentException("failureTimeoutNs " + failureTimeoutNs + " is not in " + MIN_FAILURE_TIMEOUT_NS + ".."
                + MAX_FAILURE_TIMEOUT_NS + ": give 1 ms to 1 h");
        }
        if (privateData.length > MAX_ANSWER_DATA) {
            throw new IllegalArgumentException("private data of " + privateData.length + " bytes > " + MAX_ANSWER_DATA
                + ": send the rest in a message");
        }
        privateData = privateData.clone();
    }

    /**
     * Messages of at most 4096 bytes, 64 in flight in each direction, 64 one-sided operations, 60 s to connect, 8 s of silence, no private
     * data.
     */
    public static ConnectOptions defaults() {
        return new ConnectOptions(4096, 64, 64, 64, TimeUnit.SECONDS.toNanos(60), TimeUnit.SECONDS.toNanos(8), new byte[0],
            parameters -> { });
    }

    /** Returns a copy with another longest message, 1 to 16 MiB. */
    public ConnectOptions withMessageBytes(int bytes) {
        return new ConnectOptions(bytes, sendDepth, receiveDepth, oneSidedDepth, connectTimeoutNs, failureTimeoutNs, privateData, tuning);
    }

    /** Returns a copy with other numbers of messages in flight, 1 to 8192. */
    public ConnectOptions withDepths(int send, int receive) {
        return new ConnectOptions(messageBytes, send, receive, oneSidedDepth, connectTimeoutNs, failureTimeoutNs, privateData, tuning);
    }

    /** Returns a copy with another number of one-sided operations in flight, 1 to 8192. */
    public ConnectOptions withOneSidedDepth(int depth) {
        return new ConnectOptions(messageBytes, sendDepth, receiveDepth, depth, connectTimeoutNs, failureTimeoutNs, privateData, tuning);
    }

    /** Returns a copy with another longest wait for the answer of the peer, in nanoseconds. */
    public ConnectOptions withConnectTimeoutNs(long ns) {
        return new ConnectOptions(messageBytes, sendDepth, receiveDepth, oneSidedDepth, ns, failureTimeoutNs, privateData, tuning);
    }

    /**
     * Returns a copy with another time for which the peer may be silent before the connection ends, 1 ms to 1 h. Lost packets do not wait
     * for it. The transport timer and its retries have steps (4.096 us x 2^code, 4 to 7 retries): the shortest that is not shorter is
     * used. {@link #withTuning} may set them instead.
     */
    public ConnectOptions withFailureTimeout(Duration timeout) {
        Objects.requireNonNull(timeout, "the failure timeout is null: give 1 ms to 1 h");
        // Saturates, as toNanos does not: what is longer than a long is refused like all that is too long.
        return new ConnectOptions(messageBytes, sendDepth, receiveDepth, oneSidedDepth, connectTimeoutNs,
            TimeUnit.NANOSECONDS.convert(timeout), privateData, tuning);
    }

    /** Returns a copy with private data for the application of the peer, for example a {@link RemoteMemory}. */
    public ConnectOptions withPrivateData(byte[] data) {
        return new ConnectOptions(messageBytes, sendDepth, receiveDepth, oneSidedDepth, connectTimeoutNs, failureTimeoutNs, data, tuning);
    }

    /**
     * Returns a copy that changes the parameters of connection management before they are used, for example
     * {@code withTuning(parameters -> parameters.ackTimeoutCode(16))}. Private data, time-out and attachment are set afterwards.
     */
    public ConnectOptions withTuning(Consumer<ConnectParameters> newTuning) {
        return new ConnectOptions(messageBytes, sendDepth, receiveDepth, oneSidedDepth, connectTimeoutNs, failureTimeoutNs, privateData,
            newTuning);
    }

    /** Returns these for a connection that is made with them. What their sizes need together is not checked before: they change in turn. */
    ConnectOptions used() {
        long bytes = ((long) sendDepth + receiveDepth + MessageCredits.EXTRA_RECEIVES + oneSidedDepth) * messageBytes;
        if (bytes > MAX_MEMORY_BYTES) {
            throw new IllegalArgumentException("messageBytes " + messageBytes + " times the depths is " + bytes + " bytes > "
                + MAX_MEMORY_BYTES + ": lower one of them, or move large data with one-sided operations on memory of your own");
        }
        return this;
    }

    /** A copy of the private data. */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /** The parameters of connection management for both sides: the place for further options of io.rxe.cm. */
    ConnectParameters parameters() {
        ConnectParameters parameters = new ConnectParameters();
        setFailureTimeout(parameters);
        tuning.accept(parameters);
        return parameters.privateData(new Greeting(messageBytes, receiveDepth, privateData).encode());
    }

    private void setFailureTimeout(ConnectParameters parameters) {
        long shortest = Long.MAX_VALUE;
        for (int retries = MAX_RETRIES; retries >= MIN_RETRIES; retries--) {
            // The least code whose timer times the transmissions is not shorter.
            long units = (failureTimeoutNs - 1) / (TIMER_UNIT_NS * (retries + 1));
            int code = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(units));
            long totalNs = (TIMER_UNIT_NS << code) * (retries + 1);
            if (totalNs < shortest) {
                shortest = totalNs;
                parameters.ackTimeoutCode(code).retryCount(retries);
            }
        }
    }

    private static void check(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not in 1.." + max);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConnectOptions that && messageBytes == that.messageBytes && sendDepth == that.sendDepth
            && receiveDepth == that.receiveDepth && oneSidedDepth == that.oneSidedDepth && connectTimeoutNs == that.connectTimeoutNs
            && failureTimeoutNs == that.failureTimeoutNs
            && Arrays.equals(privateData, that.privateData) && tuning.equals(that.tuning);
    }

    @Override
    public int hashCode() {
        return Objects.hash(messageBytes, sendDepth, receiveDepth, oneSidedDepth, connectTimeoutNs, failureTimeoutNs,
            Arrays.hashCode(privateData), tuning);
    }

    @Override
    public String toString() {
        return "messages of " + messageBytes + " bytes, " + sendDepth + " sent and " + receiveDepth + " received at once, " + oneSidedDepth
            + " one-sided, " + privateData.length + " bytes of private data";
    }
}
