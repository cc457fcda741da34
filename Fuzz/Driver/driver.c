#include "driver.h"
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*harness)(const uint8_t *data, size_t size));

#define ENTRY_POINT(module) \
    int module##_main(int count, char **arguments) { \
        return LLVMFuzzerRunDriver(&count, &arguments, LLVMFuzzerTestOneInput); \
    }

ENTRY_POINT(fuzz_api_requests)
ENTRY_POINT(fuzz_base64)
ENTRY_POINT(fuzz_catalogues)
ENTRY_POINT(fuzz_certificates)
ENTRY_POINT(fuzz_commands)
ENTRY_POINT(fuzz_configurations)
ENTRY_POINT(fuzz_console_input)
ENTRY_POINT(fuzz_customer_tokens)
ENTRY_POINT(fuzz_legacy_receipts)
ENTRY_POINT(fuzz_ocsp_queries)
ENTRY_POINT(fuzz_ocsp_responses)
ENTRY_POINT(fuzz_packed_records)
ENTRY_POINT(fuzz_packed_texts)
ENTRY_POINT(fuzz_payload_json)
ENTRY_POINT(fuzz_scenarios)
ENTRY_POINT(fuzz_signed_data)
ENTRY_POINT(fuzz_transaction_ids)
ENTRY_POINT(fuzz_unified_receipts)
