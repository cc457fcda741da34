internal import AppStoreModels
internal import AppStoreServer
internal import Foundation

extension Store {
    mutating func answerRetention(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        throw APIFailure(status: 404, "\(request.endpoint.title) is not part of the App Store's APIs.")
    }
}
