package import HTTPTypes

/// The end of a request without an answer: one sentence, which the page shows.
package struct PageRefusal: Error, Sendable {
  package let status: HTTPResponse.Status
  package let message: String

  /// Without a status: the request was understood, and is refused by a store or its rules. Nothing was changed, unless
  /// the sentence says so.
  package init(_ message: String, status: HTTPResponse.Status = .unprocessableContent) {
    (self.status, self.message) = (status, message)
  }
}
