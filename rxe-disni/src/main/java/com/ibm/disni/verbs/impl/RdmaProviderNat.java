package com.ibm.disni.verbs.impl;

import io.rxe.disni.RxeProvider;

/** The provider that {@code com.ibm.disni.verbs.RdmaProvider} creates by this name. */
public class RdmaProviderNat extends RxeProvider {
}
