package io.rxe.wire;

/** Text forms of a {@link Gid}. Implemented here because the core does not use java.net. */
final class GidText {
    private static final int GROUPS = 8;

    private GidText() {
    }

    static String hex(long value) {
        String digits = Long.toHexString(value);
        return "0".repeat(16 - digits.length()) + digits;
    }

    static String format(Gid gid) {
        int[] groups = groups(gid);
        int runStart = -1;
        int runLength = 1;
        for (int i = 0; i < GROUPS; i++) {
            int end = i;
            while (end < GROUPS && groups[end] == 0) {
                end++;
            }
            if (end - i > runLength) {
                runStart = i;
                runLength = end - i;
            }
        }
        // As inet_ntop: dotted text for mapped addresses and for the old "compatible" addresses, ::a.b.c.d.
        boolean dotted = runStart == 0 && (runLength == 6 || runLength == 5 && groups[5] == 0xFFFF);
        StringBuilder text = new StringBuilder(40);
        int printed = dotted ? 6 : GROUPS;
        for (int i = 0; i < printed; i++) {
            if (i == runStart) {
                text.append(i == 0 ? "::" : ":");
                i += runLength - 1;
            } else {
                text.append(Integer.toHexString(groups[i])).append(i < GROUPS - 1 ? ":" : "");
            }
        }
        if (dotted) {
            int address = gid.ipv4();
            text.append(address >>> 24).append('.').append(address >>> 16 & 0xFF).append('.').append(address >>> 8 & 0xFF)
                .append('.').append(address & 0xFF);
        }
        return text.toString();
    }

    static Gid parse(String text) {
        if (text.indexOf(':') >= 0) {
            return parseIpv6(text);
        }
        if (text.indexOf('.') >= 0) {
            return Gid.ofIpv4(parseIpv4(text, text));
        }
        if (text.length() != 32) {
            throw bad(text, "it has " + text.length() + " characters and neither '.' nor ':'");
        }
        return new Gid(parseHex(text, text, 0, 16), parseHex(text, text, 16, 32));
    }

    private static Gid parseIpv6(String text) {
        int gap = text.indexOf("::");
        int[] head = gap < 0 ? parseGroups(text, text) : parseGroups(text, text.substring(0, gap));
        int[] tail = gap < 0 ? new int[0] : parseGroups(text, text.substring(gap + 2));
        int count = head.length + tail.length;
        if (gap < 0 ? count != GROUPS : count > GROUPS - 1) {
            throw bad(text, "it has " + count + " groups instead of " + (gap < 0 ? "8" : "at most 7 beside '::'"));
        }
        int[] groups = new int[GROUPS];
        System.arraycopy(head, 0, groups, 0, head.length);
        System.arraycopy(tail, 0, groups, GROUPS - tail.length, tail.length);
        long high = 0;
        long low = 0;
        for (int i = 0; i < 4; i++) {
            high = high << 16 | groups[i];
            low = low << 16 | groups[4 + i];
        }
        return new Gid(high, low);
    }

    private static int[] parseGroups(String whole, String part) {
        if (part.isEmpty()) {
            return new int[0];
        }
        String[] words = part.split(":", -1);
        boolean dotted = words[words.length - 1].indexOf('.') >= 0 && whole.endsWith(part);
        int[] groups = new int[words.length + (dotted ? 1 : 0)];
        for (int i = 0; i < words.length; i++) {
            if (dotted && i == words.length - 1) {
                int address = parseIpv4(whole, words[i]);
                groups[i] = address >>> 16;
                groups[i + 1] = address & 0xFFFF;
            } else if (words[i].isEmpty() || words[i].length() > 4) {
                throw bad(whole, "group '" + words[i] + "' does not have 1 to 4 hex digits");
            } else {
                groups[i] = (int) parseHex(whole, words[i], 0, words[i].length());
            }
        }
        return groups;
    }

    private static int parseIpv4(String whole, String part) {
        String[] numbers = part.split("\\.", -1);
        if (numbers.length != 4) {
            throw bad(whole, "'" + part + "' does not have four numbers");
        }
        int address = 0;
        for (String number : numbers) {
            int value = -1;
            if (!number.isEmpty() && number.length() <= 3 && number.chars().allMatch(c -> c >= '0' && c <= '9')) {
                value = Integer.parseInt(number);
            }
            if (value < 0 || value > 255 || number.length() > 1 && number.charAt(0) == '0') {
                throw bad(whole, "'" + number + "' is not a number from 0 to 255");
            }
            address = address << 8 | value;
        }
        return address;
    }

    private static long parseHex(String whole, String digits, int from, int to) {
        long value = 0;
        for (int i = from; i < to; i++) {
            char c = digits.charAt(i);
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw bad(whole, "'" + c + "' is not a hex digit");
            }
            value = value << 4 | digit;
        }
        return value;
    }

    private static int[] groups(Gid gid) {
        int[] groups = new int[GROUPS];
        for (int i = 0; i < 4; i++) {
            groups[i] = (int) (gid.high() >>> 48 - 16 * i) & 0xFFFF;
            groups[4 + i] = (int) (gid.low() >>> 48 - 16 * i) & 0xFFFF;
        }
        return groups;
    }

    private static IllegalArgumentException bad(String text, String why) {
        return new IllegalArgumentException("'" + text + "' is not an address: " + why
            + "; give IPv4 (10.0.0.1), IPv6 (fd00::1) or 32 hex digits");
    }
}
