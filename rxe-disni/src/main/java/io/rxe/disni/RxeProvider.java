package io.rxe.disni;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import io.rxe.net.process.ProcessSettings;

/** The provider. DiSNI creates one for the process; it opens no NIC before a program binds or resolves an address. */
public class RxeProvider extends RdmaProvider {
    /** Version of the native interface in DiSNI 2.x, which programs may ask for. */
    private static final int INTERFACE_VERSION = 32;

    private final DisniVerbs verbs = new DisniVerbs();
    private final ConnectionManagement connections = new ConnectionManagement(new LocalNic(ProcessSettings.ofProcess()));

    /** For the class that DiSNI creates by name. */
    protected RxeProvider() {
    }

    @Override
    public RdmaCm openCm() {
        return connections;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    @Override
    public int getVersion() {
        return INTERFACE_VERSION;
    }
}
