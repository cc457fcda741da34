/// A page of a list of the server or the simulator.
struct ListPage<Item: Decodable>: Decodable {
    let items: [Item]
    let nextPage: String?

    enum CodingKeys: String, CodingKey {
        case items
        case nextPage = "next_page"
    }
}

/// An error response of the server or the simulator.
struct ErrorResponse: Decodable {
    let code, message: String
}

/// A request to the server to sign a promotional offer.
struct OfferRequest: Encodable {
    let product_id, offer_id: String
}

/// The signature of an offer.
struct OfferResponse: Decodable {
    let jws: String
}
