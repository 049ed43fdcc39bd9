import Foundation

/// The header of a token: steps 2 and 3 of verification.
struct TokenHeader {
  /// The certificates that a token brings along.
  enum Certificates {
    /// Three certificates, leaf first. The third is never looked at: trust comes from the configuration.
    case chain(leaf: Data, intermediate: Data)
    /// The only one, as Xcode signs in its StoreKit tests.
    case single(Data)
  }

  let certificates: Certificates

  init(_ data: Data) throws {
    let list: [String]? = try TokenObject.read(data, step: .header) { members in
      guard let algorithm: String = try? members.required("alg"), algorithm.utf8.elementsEqual("ES256".utf8) else {
        throw VerificationFailure(.header, "the algorithm is not ES256")
      }
      if members.contains("kid"), (try? members.required("kid", String.self)) == nil {
        throw VerificationFailure(.header, "the key's id is no text")
      }
      for name in ["crit", "b64"] where members.contains(name) {
        throw VerificationFailure(.header, "the header demands \(name), which no token of the App Store does")
      }
      return try? members.required("x5c")
    }
    guard let list, list.count == 3 || list.count == 1 else {
      throw VerificationFailure(.certificateList, "the header does not bring exactly three certificates")
    }
    let certificates = try list.map { text in
      // The decoder is lenient about the last character's spare bits; writing it again is not.
      guard !text.isEmpty, let data = Data(base64Encoded: text), data.base64EncodedString() == text else {
        throw VerificationFailure(.certificateList, "a certificate of the header is not standard base64")
      }
      return data
    }
    self.certificates =
      certificates.count == 1
      ? .single(certificates[0]) : .chain(leaf: certificates[0], intermediate: certificates[1])
  }
}
