package io.rxe.capture;

import java.io.IOException;

/** One of the file formats, positioned behind the file's header. */
interface CaptureFormat {
    /** {@return the next frame, or null at the end} */
    CaptureRecord read() throws IOException;
}
