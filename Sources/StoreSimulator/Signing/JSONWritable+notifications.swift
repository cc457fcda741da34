package import AppStoreModels
package import AppStoreServer
package import Basics

// The members are in the order of their names, which is the order on the wire.

extension ResponseBodyV2DecodedPayload: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        try json.member("appData", object: appData)
        try json.member("data", object: data)
        try json.member("externalPurchaseToken", object: externalPurchaseToken)
        json.member("notificationType", notificationType)
        json.member("notificationUUID", notificationUUID)
        try json.member("signedDate", signedDate)
        json.member("subtype", subtype)
        try json.member("summary", object: summary)
        json.member("version", version)
    }
}

extension NotificationData: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        json.member("appAppleId", appAppleId)
        json.member("bundleId", bundleId)
        json.member("bundleVersion", bundleVersion)
        json.member("consumptionRequestReason", consumptionRequestReason)
        json.member("environment", environment)
        json.member("signedRenewalInfo", signedRenewalInfo)
        json.member("signedTransactionInfo", signedTransactionInfo)
        json.member("status", status)
    }
}

extension NotificationSummary: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        json.member("appAppleId", appAppleId)
        json.member("bundleId", bundleId)
        json.member("environment", environment)
        json.member("failedCount", failedCount)
        json.member("productId", productId)
        json.member("requestIdentifier", requestIdentifier)
        json.member("storefrontCountryCodes", storefrontCountryCodes)
        json.member("succeededCount", succeededCount)
    }
}

extension ExternalPurchaseToken: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        json.member("appAppleId", appAppleId)
        json.member("bundleId", bundleId)
        json.member("externalPurchaseId", externalPurchaseId)
        try json.member("tokenCreationDate", tokenCreationDate)
        try json.member("tokenExpirationDate", tokenExpirationDate)
        json.member("tokenType", tokenType)
    }
}

extension AppData: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        json.member("appAppleId", appAppleId)
        json.member("bundleId", bundleId)
        json.member("environment", environment)
        json.member("signedAppTransactionInfo", signedAppTransactionInfo)
    }
}
