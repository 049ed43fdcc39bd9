import Foundation

/// The claims of a payload that the steps before the signature need: step 4 of verification. The rest is read when it
/// is believed.
struct TokenClaims {
  let signedDate: Date?
  /// Nil when absent or not a string.
  let bundleID: String?
  /// Nil when absent or not a string.
  let environment: String?

  /// `signedDate` is checked here because it is read before the signature, and swift-certificates ends the process for
  /// years past 9999.
  init(_ payload: Data) throws {
    self = try TokenObject.read(payload, step: .payload) { members in
      guard members.contains("signedDate") else { return TokenClaims(members, signedDate: nil) }
      guard let date = try? members.date("signedDate") else {
        throw VerificationFailure(.payload, "the date of signing is not a time between 1970 and 9999")
      }
      return TokenClaims(members, signedDate: date)
    }
  }

  private init(_ members: TokenMembers, signedDate: Date?) {
    self.signedDate = signedDate
    bundleID = try? members.required("bundleId")
    environment = try? members.required("environment")
  }
}
