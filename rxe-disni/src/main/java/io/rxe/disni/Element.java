package io.rxe.disni;

import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend.SgeMod;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.util.List;

/** An element of a kept request, which the program may change where the request is for a send queue. */
final class Element implements SgeMod {
    private long address;
    private int lengthBytes;
    private int key;

    private Element(IbvSge element) {
        address = element.getAddr();
        lengthBytes = element.getLength();
        key = element.getLkey();
    }

    /** @throws RuntimeException {@link VerbFailure} when there are fewer than the request says. */
    static Element[] copies(List<IbvSge> list, int count) {
        if (count < 0 || count > list.size()) {
            throw VerbFailure.of(VerbError.EINVAL, "num_sge " + count + " is not in 0.." + list.size()
                + ", the elements in sg_list: call setSg_list again after the last one was added");
        }
        return list.stream().limit(count).map(Element::new).toArray(Element[]::new);
    }

    @Override
    public void setAddr(long newAddress) {
        address = newAddress;
    }

    @Override
    public long getAddr() {
        return address;
    }

    @Override
    public void setLength(int newLengthBytes) {
        lengthBytes = newLengthBytes;
    }

    @Override
    public int getLength() {
        return lengthBytes;
    }

    @Override
    public void setLkey(int newKey) {
        key = newKey;
    }

    @Override
    public int getLkey() {
        return key;
    }
}
