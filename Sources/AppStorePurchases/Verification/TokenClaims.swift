import Foundation

/// The claims of a payload that the steps before the signature need: step 4 of verification. The rest is read when it
/// is believed.
struct TokenClaims {
  /// The names under which a kind of token has the claims.
  struct Names {
    static let transaction = Names(signedDate: "signedDate", environment: "environment")
    static let appTransaction = Names(signedDate: "receiptCreationDate", environment: "receiptType")

    let signedDate: String
    let environment: String
  }

  let signedDate: Date?
  /// Nil when absent or not a string.
  let bundleID: String?
  /// Nil when absent or not a string.
  let environment: String?
  /// Nil when absent or not a number.
  let appAppleID: UInt64?

  /// `signedDate` is checked here because it is read before the signature, and swift-certificates ends the process for
  /// years past 9999.
  init(_ payload: Data, _ names: Names = .transaction) throws {
    self = try TokenObject.read(payload, step: .payload) { members in
      guard members.contains(names.signedDate) else { return TokenClaims(members, names, signedDate: nil) }
      guard let date = try? members.date(names.signedDate) else {
        throw VerificationFailure(.payload, "the date of signing is not a time between 1970 and 9999")
      }
      return TokenClaims(members, names, signedDate: date)
    }
  }

  private init(_ members: TokenMembers, _ names: Names = .transaction, signedDate: Date?) {
    self.signedDate = signedDate
    bundleID = try? members.required("bundleId")
    environment = try? members.required(names.environment)
    appAppleID = try? members.required("appAppleId")
  }

  /// The claims of an object inside a payload, which has no time of its own.
  init(_ bundleID: String, _ environment: AppStore.Environment, _ appAppleID: UInt64?) {
    self.bundleID = bundleID
    self.environment = environment.rawValue
    self.appAppleID = appAppleID
    signedDate = nil
  }
}
