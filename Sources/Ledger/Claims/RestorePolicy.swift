/// What happens when a purchase that belongs to one customer is restored by another.
@nonexhaustive
public enum RestorePolicy: String, Sendable, Hashable, CaseIterable {
    /// It moves to the one who restores.
    case transfer
    /// It moves, unless the other customer still has access through it.
    case transferIfInactive = "transfer_if_inactive"
    /// It stays where it is.
    case keepOriginal = "keep_original"
    /// Both have it.
    case share
}
