extension StoreCommand {
    /// The names of all commands, as JSON and YAML have them.
    public static let names = [
        "createCustomer", "releaseVersion", "purchase", "subscribeAdvancedCommerce", "chargeAdvancedCommerce",
        "requestAdvancedCommerce", "cancel", "resume", "failBilling", "fixBilling", "changeStorefront", "accelerate",
        "requestRefund",
        "approveRefund", "declineRefund", "reverseRefund", "shareWithFamily", "stopSharing", "increasePrice",
        "schedulePriceChange",
        "acceptPrice", "removeFromSale", "returnToSale", "finish", "setAppAccountToken", "answerConsumptionRequest",
        "extendRenewal", "extendAllRenewals", "rescindConsent", "createExternalPurchaseToken",
        "reportExternalPurchaseToken", "requestTestNotification", "clearHistory", "assignSeat", "assignVolumePurchase",
        "revokeVolumePurchase", "refreshReceipt", "approveMessage",
        "rejectMessage", "approveImage", "rejectImage", "joinGroup", "installApp", "goOffline", "goOnline", "sync",
        "askToBuy", "stopAskingToBuy", "approvePurchase", "declinePurchase", "planPurchase", "repeatUpdate",
        "holdUpdates", "releaseUpdates", "breakVerification", "hideRenewals",
    ]
}
