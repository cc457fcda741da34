package import AppStoreModels
package import Basics

extension ConsumptionRequest {
    /// The JSON that is sent to the App Store.
    package var json: String {
        var json = JSONWriter()
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Writes the request with Apple's names.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("customerConsented", customerConsented)
            json.member("deliveryStatus", deliveryStatus.rawValue)
            json.member("sampleContentProvided", sampleContentProvided)
            if let percentage = consumptionPercentage { json.member("consumptionPercentage", percentage) }
            json.member("refundPreference", refundPreference?.rawValue)
        }
    }
}
