/* What rdma-unit-test has to know of the device "rxe" where that is ours. */
#ifndef INTROSPECTION_RXE_JAVA_H_
#define INTROSPECTION_RXE_JAVA_H_

#include <cstdlib>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "infiniband/verbs.h"
#include "internal/introspection_registrar.h"
#include "internal/introspection_rxe.h"
#include "public/introspection.h"

namespace rdma_unit_test {

class IntrospectionRxeJava : public NicIntrospection {
 public:
  /* Without tools/rxe run it is that of the kernel. */
  static void Register() {
    if (std::getenv("LD_PRELOAD") == nullptr) {
      IntrospectionRxe::Register();
      return;
    }
    IntrospectionRegistrar::GetInstance().Register("rxe", [](const std::string& name, const ibv_device_attr& attr) {
      return new IntrospectionRxeJava(name, attr);
    });
  }
  bool IsSlowNic() const override { return true; }
  /* A SEND with invalidate of a wrong key is refused with a NAK (rule W5), as by rdma_rxe after 6.1. */
  bool NoNakOnSendInvalidateErrors() const override { return false; }
  bool SupportsReRegMr() const override { return true; }

 protected:
  const absl::flat_hash_map<TestcaseKey, std::string>& GetDeviations() const override {
    static const absl::flat_hash_map<TestcaseKey, std::string> deviations{
        {{"LoopbackUdQpTest", "SendLargerThanMtu"}, "C10-93.1.1: no error shall be generated."},
    };
    return deviations;
  }

 private:
  IntrospectionRxeJava(const std::string& name, const ibv_device_attr& attr) : NicIntrospection(name, attr) {}
};

}  // namespace rdma_unit_test

#endif
