package import AppStoreModels
package import Basics

extension ConsumptionRequest {
    /// Exactly what the App Store gets.
    package var json: String {
        var json = JSONWriter()
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// With Apple's names.
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
