package io.rxe.capture;

import java.io.IOException;

/** A reader of one file format, positioned behind the file header. */
interface CaptureFormat {
    /** {@return the next frame, or null at the end} */
    CaptureRecord read() throws IOException;
}
