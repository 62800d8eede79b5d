package io.rxe.wire;

/**
 * CRC-32 (IEEE 802.3, reflected) as linear algebra over bits.
 *
 * <p>Feeding a zero byte into the CRC register is an invertible linear map of its 32 bits. So "n zero bytes onward" and "n zero
 * bytes back" are 32x32 bit matrices. A matrix is stored as 32 columns (the image of each bit), and for fast use as four tables of
 * 256 entries, one for each byte of the register.
 */
final class Crc32Algebra {
    static final int TABLE_ENTRIES = 4 * 256;

    private static final int POLYNOMIAL = 0xEDB8_8320;
    private static final int MAX_POWER = 13;
    private static final int[] BYTE_TABLE = new int[256];
    /** ONWARD[k] advances the register over 2^k zero bytes, BACK[k] undoes that. */
    private static final int[][] ONWARD = new int[MAX_POWER][];
    private static final int[][] BACK = new int[MAX_POWER][];

    static {
        for (int i = 0; i < 256; i++) {
            int register = i;
            for (int bit = 0; bit < 8; bit++) {
                register = register >>> 1 ^ (register & 1) * POLYNOMIAL;
            }
            BYTE_TABLE[i] = register;
        }
        ONWARD[0] = new int[32];
        BACK[0] = new int[32];
        for (int bit = 0; bit < 32; bit++) {
            ONWARD[0][bit] = feed(1 << bit, 0);
            BACK[0][bit] = oneByteBack(1 << bit);
        }
        for (int power = 1; power < MAX_POWER; power++) {
            ONWARD[power] = product(ONWARD[power - 1], ONWARD[power - 1]);
            BACK[power] = product(BACK[power - 1], BACK[power - 1]);
        }
    }

    private Crc32Algebra() {
    }

    /** {@return the register after one more byte} */
    static int feed(int register, int value) {
        return register >>> 8 ^ BYTE_TABLE[(register ^ value) & 0xFF];
    }

    /** {@return the register after the four bytes of a word, most significant first as on the wire} */
    static int feedWord(int register, int word) {
        int r = feed(register, word >>> 24);
        r = feed(r, word >>> 16);
        r = feed(r, word >>> 8);
        return feed(r, word);
    }

    /** {@return the register after n zero bytes, n &gt;= 0} */
    static int feedZeros(int register, int n) {
        int r = register;
        for (int i = 0; i < n; i++) {
            r = feed(r, 0);
        }
        return r;
    }

    /** {@return the columns of "n zero bytes onward", 0 &lt;= n &lt; 2^13} */
    static int[] onward(int n) {
        return power(ONWARD, n);
    }

    /** {@return the columns of "n zero bytes back", 0 &lt;= n &lt; 2^13} */
    static int[] back(int n) {
        return power(BACK, n);
    }

    /** {@return the matrix as four tables in one array: entry 256 * i + v is the image of value v in byte i of the register} */
    static int[] tables(int[] columns) {
        int[] tables = new int[TABLE_ENTRIES];
        for (int i = 0; i < 4; i++) {
            for (int value = 1; value < 256; value++) {
                int lowestBit = Integer.numberOfTrailingZeros(value);
                tables[256 * i + value] = tables[256 * i + (value & value - 1)] ^ columns[8 * i + lowestBit];
            }
        }
        return tables;
    }

    /** {@return the vector times a matrix in the form of {@link #tables}} */
    static int apply(int[] tables, int register) {
        return tables[register & 0xFF] ^ tables[0x100 | register >>> 8 & 0xFF] ^ tables[0x200 | register >>> 16 & 0xFF]
            ^ tables[0x300 | register >>> 24];
    }

    /** {@return the vector times a matrix of 32 columns} */
    static int applyColumns(int[] columns, int register) {
        int result = 0;
        for (int rest = register; rest != 0; rest &= rest - 1) {
            result ^= columns[Integer.numberOfTrailingZeros(rest)];
        }
        return result;
    }

    private static int[] power(int[][] powers, int n) {
        int[] columns = new int[32];
        for (int bit = 0; bit < 32; bit++) {
            columns[bit] = 1 << bit;
        }
        for (int power = 0; power < MAX_POWER; power++) {
            if ((n >>> power & 1) != 0) {
                columns = product(powers[power], columns);
            }
        }
        return columns;
    }

    /** {@return the map that applies b, then a} */
    private static int[] product(int[] a, int[] b) {
        int[] columns = new int[32];
        for (int bit = 0; bit < 32; bit++) {
            columns[bit] = applyColumns(a, b[bit]);
        }
        return columns;
    }

    /** The high bytes of the 256 table entries all differ, so the high byte of a register identifies the entry added last. */
    private static int oneByteBack(int register) {
        for (int i = 0; i < 256; i++) {
            if (BYTE_TABLE[i] >>> 24 == register >>> 24) {
                return (register ^ BYTE_TABLE[i]) << 8 | i;
            }
        }
        throw new AssertionError("no entry of the CRC table has the high byte " + (register >>> 24));
    }
}
