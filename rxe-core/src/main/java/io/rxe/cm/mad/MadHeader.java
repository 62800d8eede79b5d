package io.rxe.cm.mad;

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
    /** The only base version. */
    public static final int BASE_VERSION = 1;
    /** Management class of connection management. */
    public static final int CM_CLASS = 7;
    /** Version of that class. */
    public static final int CM_CLASS_VERSION = 2;
    /** The method Send. */
    public static final int METHOD_SEND = 3;

    private static final int BASE_VERSION_OFFSET = 0;
    private static final int CLASS_OFFSET = 1;
    private static final int CLASS_VERSION_OFFSET = 2;
    private static final int METHOD_OFFSET = 3;
    private static final int STATUS_OFFSET = 4;
    private static final int CLASS_SPECIFIC_OFFSET = 6;
    private static final int TRANSACTION_ID_OFFSET = 8;
    private static final int ATTRIBUTE_OFFSET = 16;
    private static final int ATTRIBUTE_MODIFIER_OFFSET = 20;

    private MadHeader() {
    }

    /** Clears all 256 bytes of a MAD and writes the header of a message of connection management. */
    public static void write(MutableDirectBuffer buffer, int offset, CmAttribute attribute, long transactionId) {
        buffer.setMemory(offset, MAD_LENGTH, (byte) 0);
        MadFields.int8(buffer, offset + BASE_VERSION_OFFSET, BASE_VERSION);
        MadFields.int8(buffer, offset + CLASS_OFFSET, CM_CLASS);
        MadFields.int8(buffer, offset + CLASS_VERSION_OFFSET, CM_CLASS_VERSION);
        MadFields.int8(buffer, offset + METHOD_OFFSET, METHOD_SEND);
        transactionId(buffer, offset, transactionId);
        MadFields.int16(buffer, offset + ATTRIBUTE_OFFSET, attribute.code());
    }

    /** Checks that the bytes are a MAD of connection management. Reads nothing outside them. */
    public static MadVerdict check(DirectBuffer buffer, int offset, int length) {
        if (length != MAD_LENGTH) {
            return MadVerdict.BAD_LENGTH;
        }
        if (baseVersion(buffer, offset) != BASE_VERSION) {
            return MadVerdict.BAD_BASE_VERSION;
        }
        if (managementClass(buffer, offset) != CM_CLASS) {
            return MadVerdict.WRONG_CLASS;
        }
        if (classVersion(buffer, offset) != CM_CLASS_VERSION) {
            return MadVerdict.BAD_CLASS_VERSION;
        }
        if (method(buffer, offset) != METHOD_SEND) {
            return MadVerdict.WRONG_METHOD;
        }
        return attribute(buffer, offset) == null ? MadVerdict.UNKNOWN_ATTRIBUTE : MadVerdict.VALID;
    }

    /** {@return the base version, 1} */
    public static int baseVersion(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + BASE_VERSION_OFFSET);
    }

    /** {@return the management class, 7 for connection management} */
    public static int managementClass(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + CLASS_OFFSET);
    }

    /** {@return the version of the class, 2} */
    public static int classVersion(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + CLASS_VERSION_OFFSET);
    }

    /** {@return the method, 3 = Send} */
    public static int method(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + METHOD_OFFSET);
    }

    /** {@return the status, 0 in this class} */
    public static int status(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + STATUS_OFFSET);
    }

    /** {@return 16 bits for use by the class; 0 in this class} */
    public static int classSpecific(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + CLASS_SPECIFIC_OFFSET);
    }

    /** {@return the transaction ID; a reply echoes that of the request} */
    public static long transactionId(DirectBuffer buffer, int offset) {
        return MadFields.int64(buffer, offset + TRANSACTION_ID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void transactionId(MutableDirectBuffer buffer, int offset, long transactionId) {
        MadFields.int64(buffer, offset + TRANSACTION_ID_OFFSET, transactionId);
    }

    /** {@return the attribute ID, 16 bits} */
    public static int attributeId(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + ATTRIBUTE_OFFSET);
    }

    /** {@return the attribute, or null if the class has none with this ID} */
    public static CmAttribute attribute(DirectBuffer buffer, int offset) {
        return CmAttribute.of(attributeId(buffer, offset));
    }

    /** {@return the attribute modifier, 0 in this class} */
    public static int attributeModifier(DirectBuffer buffer, int offset) {
        return MadFields.int32(buffer, offset + ATTRIBUTE_MODIFIER_OFFSET);
    }
}
