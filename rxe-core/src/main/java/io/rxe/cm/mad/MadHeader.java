package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadField.whole;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The header of every management datagram, the first 24 of its 256 bytes (IBTA 13.4).
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------+---------------+---------------+---------------+  0
 * | base version 1|   class 7     |class version 2|   method 3    |
 * +---------------+---------------+---------------+---------------+  4
 * |            status             |        class specific         |
 * +-------------------------------+-------------------------------+  8
 * |                    transaction ID, 64 bits                    |
 * +-------------------------------+-------------------------------+ 16
 * |         attribute ID          |           reserved            |
 * +-------------------------------+-------------------------------+ 20
 * |                      attribute modifier                       |
 * +---------------------------------------------------------------+ 24
 * |                     body, 232 bytes                           |
 * </pre>
 */
public final class MadHeader {
    /** Length of the header in bytes. */
    public static final int LENGTH = 24;
    /** Length of a whole MAD in bytes. */
    public static final int MAD_LENGTH = 256;
    public static final int ONLY_BASE_VERSION = 1;
    /** Management class of connection management. */
    public static final int CM_CLASS = 7;
    /** Version of that class. */
    public static final int CM_CLASS_VERSION = 2;
    public static final int METHOD_SEND = 3;

    /** The base version, 1. */
    public static final MadField BASE_VERSION = whole(0, 1);
    /** The management class, 7 for connection management. */
    public static final MadField MANAGEMENT_CLASS = whole(1, 1);
    /** The version of the class, 2. */
    public static final MadField CLASS_VERSION = whole(2, 1);
    /** The method, 3 = Send. */
    public static final MadField METHOD = whole(3, 1);
    /** The status, 0 in this class. */
    public static final MadField STATUS = whole(4, 2);
    /** 16 bits for use by the class; 0 in this class. */
    public static final MadField CLASS_SPECIFIC = whole(6, 2);
    /** The transaction ID; a reply echoes that of the request. */
    public static final MadLong TRANSACTION_ID = new MadLong(8);
    /** The attribute ID, 16 bits. */
    public static final MadField ATTRIBUTE_ID = whole(16, 2);
    /** The attribute modifier, 0 in this class. */
    public static final MadField ATTRIBUTE_MODIFIER = whole(20, 4);

    private MadHeader() {
    }

    /** Clears all 256 bytes of a MAD and writes the header of a message of connection management. */
    public static void write(MutableDirectBuffer buffer, int offset, CmAttribute attribute, long transactionId) {
        buffer.setMemory(offset, MAD_LENGTH, (byte) 0);
        BASE_VERSION.set(buffer, offset, ONLY_BASE_VERSION);
        MANAGEMENT_CLASS.set(buffer, offset, CM_CLASS);
        CLASS_VERSION.set(buffer, offset, CM_CLASS_VERSION);
        METHOD.set(buffer, offset, METHOD_SEND);
        TRANSACTION_ID.set(buffer, offset, transactionId);
        ATTRIBUTE_ID.set(buffer, offset, attribute.code());
    }

    /** Checks that the bytes are a MAD of connection management. Reads nothing outside them. */
    public static MadVerdict check(DirectBuffer buffer, int offset, int length) {
        if (length != MAD_LENGTH) {
            return MadVerdict.BAD_LENGTH;
        }
        if (BASE_VERSION.get(buffer, offset) != ONLY_BASE_VERSION) {
            return MadVerdict.BAD_BASE_VERSION;
        }
        if (MANAGEMENT_CLASS.get(buffer, offset) != CM_CLASS) {
            return MadVerdict.WRONG_CLASS;
        }
        if (CLASS_VERSION.get(buffer, offset) != CM_CLASS_VERSION) {
            return MadVerdict.BAD_CLASS_VERSION;
        }
        if (METHOD.get(buffer, offset) != METHOD_SEND) {
            return MadVerdict.WRONG_METHOD;
        }
        return attribute(buffer, offset) == null ? MadVerdict.UNKNOWN_ATTRIBUTE : MadVerdict.VALID;
    }

    /** {@return the attribute, or null if the class has none with this ID} */
    public static CmAttribute attribute(DirectBuffer buffer, int offset) {
        return CmAttribute.of(ATTRIBUTE_ID.get(buffer, offset));
    }
}
