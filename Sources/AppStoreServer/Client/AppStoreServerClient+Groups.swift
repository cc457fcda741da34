public import AppStoreModels

extension AppStoreServerClient {
    /// The groups that a customer belongs to. So far in the sandbox only. Apple's page: *Get Customer Groups*.
    ///
    /// - Parameter anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    public func customerGroups(
        of anyTransactionID: String
    ) async throws(AppStoreServerError) -> GetCustomerGroupsResponse {
        try await answer(.customerGroups, [anyTransactionID])
    }

    /// The customers that belong to a group. So far in the sandbox only. Apple's page: *Get Group Members*.
    ///
    /// - Parameters:
    ///   - groupID: The group.
    ///   - limit: How many on a page, up to 100; nil leaves it to the App Store.
    ///   - paginationToken: Where to go on; nil for the beginning.
    public func groupMembers(
        of groupID: String, limit: Int? = nil, after paginationToken: String? = nil
    ) -> AppStorePages<GetGroupMembersResponse> {
        AppStorePages(endpoint: .groupMembers, first: paginationToken) { token throws(AppStoreServerError) in
            let query = parameter("paginationToken", token) + parameter("limit", limit.map(String.init))
            return try await answer(.groupMembers, [groupID], query: query)
        }
    }
}
