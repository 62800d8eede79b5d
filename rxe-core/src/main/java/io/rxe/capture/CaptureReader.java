package io.rxe.capture;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;

/**
 * Reads pcap (both byte orders, microseconds and nanoseconds) and pcapng; their first bytes distinguish them.
 *
 * <p>Reads record by record: a frame written into a pipe is returned before the next one is written. One thread.
 */
public final class CaptureReader implements Closeable {
    private final CaptureInput in;
    private final CaptureFormat format;

    /**
     * Opens a capture and reads its header.
     *
     * @param in the capture from its first byte; closed by {@link #close}.
     * @throws IOException when it is not a capture; the message has the byte position, and the remedy where the file is compressed.
     */
    public CaptureReader(InputStream in) throws IOException {
        this.in = new CaptureInput(in);
        this.format = open(this.in);
    }

    /**
     * Reads the next frame; blocks until there is one when the capture is a pipe.
     *
     * @return the frame, or null at the end of the capture.
     * @throws IOException when the capture is damaged or truncated; the message has the byte position.
     */
    public CaptureRecord read() throws IOException {
        return format.read();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private static CaptureFormat open(CaptureInput in) throws IOException {
        if (!in.hasWord()) {
            throw in.broken("it is empty");
        }
        int magic = in.word();
        if (magic == PcapNgFormat.SECTION_HEADER) {
            return new PcapNgFormat(in);
        }
        PcapFormat pcap = PcapFormat.open(in, magic);
        if (pcap == null) {
            String unpacker = unpacker(magic);
            if (unpacker != null) {
                throw in.broken("it is compressed: unpack it first with " + unpacker);
            }
            throw in.broken("first four bytes 0x" + HexFormat.of().toHexDigits(Integer.reverseBytes(magic))
                + " are neither pcap nor pcapng: write the capture with tcpdump -w or dumpcap");
        }
        return pcap;
    }

    /** The program that unpacks a file which begins with these four bytes, or null. */
    private static String unpacker(int magic) {
        if ((magic & 0xFFFF) == 0x8B1F) {
            return "gunzip";
        }
        return switch (magic) {
            case 0xFD2F_B528 -> "unzstd";
            case 0x184D_2204 -> "unlz4";
            case 0x587A_37FD -> "unxz";
            default -> (magic & 0xFF_FFFF) == 0x68_5A42 ? "bunzip2" : null;
        };
    }
}
