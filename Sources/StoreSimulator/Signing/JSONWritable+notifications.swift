package import AppStoreModels
package import AppStoreServer
package import Basics

// The members are in the order of their names, which is the order on the wire.

extension ResponseBodyV2DecodedPayload: JSONMembersWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        try json.member("appData", encoding: appData)
        try json.member("data", object: data)
        try json.member("externalPurchaseToken", encoding: externalPurchaseToken)
        json.member("notificationType", notificationType)
        json.member("notificationUUID", notificationUUID)
        try json.member("signedDate", signedDate)
        json.member("subtype", subtype)
        try json.member("summary", encoding: summary)
        json.member("version", version)
    }
}

extension NotificationData: JSONMembersWritable {
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
