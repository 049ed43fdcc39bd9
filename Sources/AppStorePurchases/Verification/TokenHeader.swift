import Foundation

/// The header of a token: steps 2 and 3 of verification.
struct TokenHeader {
  /// The certificates that the token brings along, leaf first. The third is never looked at: trust comes from the
  /// configuration.
  let leaf: Data
  let intermediate: Data

  init(_ data: Data) throws {
    let list: [String]? = try TokenObject.read(data, step: .header) { members in
      guard (try? members.required("alg", String.self)) == "ES256" else {
        throw VerificationFailure(.header, "the algorithm is not ES256")
      }
      for name in ["crit", "b64"] where members.contains(name) {
        throw VerificationFailure(.header, "the header demands \(name), which no token of the App Store does")
      }
      return try? members.required("x5c")
    }
    guard let list, list.count == 3 else {
      throw VerificationFailure(.certificateList, "the header does not bring exactly three certificates")
    }
    let certificates = try list.map { text in
      // The decoder is lenient about the last character's spare bits; writing it again is not.
      guard !text.isEmpty, let data = Data(base64Encoded: text), data.base64EncodedString() == text else {
        throw VerificationFailure(.certificateList, "a certificate of the header is not standard base64")
      }
      return data
    }
    leaf = certificates[0]
    intermediate = certificates[1]
  }
}
