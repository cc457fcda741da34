/// What happens if a customer restores a purchase that belongs to another customer.
@nonexhaustive
public enum RestorePolicy: String, Sendable, Hashable, CaseIterable {
    /// The purchase moves to the customer who restores it.
    case transfer
    /// The purchase moves, unless the other customer still has access through it.
    case transferIfInactive = "transfer_if_inactive"
    /// The purchase stays with the other customer.
    case keepOriginal = "keep_original"
    /// Both customers own the purchase.
    case share
}
