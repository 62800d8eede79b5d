/** Two classes of DiSNI that need libdisni or an option of {@code java}, replaced by ones that do not; found first as the provider is. */
package com.ibm.disni.util;
