/**
 * The class by whose name DiSNI knows its provider. The jar of this module stands before DiSNI's on the class path, so that this class is
 * found first and DiSNI's own, which needs libdisni, is never loaded.
 */
package com.ibm.disni.verbs.impl;
