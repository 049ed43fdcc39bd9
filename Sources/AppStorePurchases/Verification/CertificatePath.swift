import Crypto
import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// A leaf and an intermediate certificate that a token brings, up to a configured anchor: steps 5 to 8 of verification.
struct CertificatePath {
  /// The path is leaf, intermediate, anchor: no shorter and no longer one is believed.
  static let length = 3

  let leaf: Certificate
  let intermediate: Certificate
  private let hasOneAlgorithmEach: Bool

  /// Step 5: reads both, to the last byte.
  init(leaf: Data, intermediate: Data) throws {
    hasOneAlgorithmEach = Self.hasOneAlgorithm(leaf) && Self.hasOneAlgorithm(intermediate)
    self.leaf = try Self.certificate(leaf, "leaf")
    self.intermediate = try Self.certificate(intermediate, "intermediate")
  }

  static func certificate(_ data: Data, _ name: String) throws -> Certificate {
    do {
      return try Certificate(derEncoded: Array(data))
    } catch {
      throw VerificationFailure(.certificates, "the \(name) certificate cannot be read")
    }
  }

  /// Step 6: signatures, names, validity at `time`, basic constraints, path length, key usage, key identifiers and
  /// critical extensions. Returns when the path holds.
  func verify(anchors: [Certificate], at time: Date) async throws -> ClosedRange<Date> {
    let failure = VerificationFailure(
      .certificatePath, "the certificates do not lead to a trusted root, or were not valid at the time of signing")
    guard let second = Self.wholeSecond(time), isModern, hasOneAlgorithmEach, isLeafNoAuthority,
      isIntermediateForCertificates
    else { throw failure }
    var verifier = Verifier(rootCertificates: CertificateStore(anchors)) {
      RFC5280Policy(fixedExpiryValidationTime: second)
      ExactLengthPolicy()
    }
    let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate]))
    guard case .validCertificate(let path) = result, path.count == Self.length, Self.namesItsKeys(Array(path)) else {
      throw failure
    }
    guard let from = path.map(\.notValidBefore).max(), let to = path.map(\.notValidAfter).min(), from <= to else {
      throw failure
    }
    return from...to
  }

  /// Step 7: the marks that the App Store's certificates carry, so that no other certificate of the same root serves.
  func verifyPurpose() throws {
    guard intermediate.extensions[oid: .appStoreIntermediate] != nil, leaf.extensions[oid: .appStoreLeaf] != nil else {
      throw VerificationFailure(.certificatePurpose, "the certificates are not made for signing App Store transactions")
    }
  }

  /// Step 8. `denied` holds SHA-256 digests of DER.
  static func verify(notDenied denied: Set<Data>, _ certificates: [Data]) throws {
    guard denied.isDisjoint(with: certificates.map { Data(SHA256.hash(data: $0)) }) else {
      throw VerificationFailure(.denyList, "a certificate is on the deny list")
    }
  }

  /// The time that swift-certificates may see. It rounds to seconds and ends the process for the year 10000, which the
  /// last half second of 9999 would be rounded to.
  static func wholeSecond(_ time: Date) -> Date? {
    let milliseconds = time.timeIntervalSince1970 * 1000
    guard TokenMembers.milliseconds.contains(milliseconds) else { return nil }
    return Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
  }

  /// Version 3, because constraints do not apply to older ones, and no SHA-1.
  private var isModern: Bool {
    [leaf, intermediate].allSatisfy { $0.version == .v3 && $0.signatureAlgorithm != .sha1WithRSAEncryption }
  }

  /// False also for constraints that cannot be read.
  private var isLeafNoAuthority: Bool {
    do {
      return try leaf.extensions.basicConstraints.map { $0 == .notCertificateAuthority } ?? true
    } catch {
      return false
    }
  }

  private var isIntermediateForCertificates: Bool {
    do {
      return try intermediate.extensions.keyUsage?.keyCertSign ?? false
    } catch {
      return false
    }
  }

  /// Whether no certificate says that another key than its issuer's has signed it.
  private static func namesItsKeys(_ path: [Certificate]) -> Bool {
    do {
      return try zip(path, path.dropFirst()).allSatisfy { certificate, issuer in
        guard let named = try certificate.extensions.authorityKeyIdentifier?.keyIdentifier,
          let key = try issuer.extensions.subjectKeyIdentifier?.keyIdentifier
        else { return true }
        return named == key
      }
    } catch {
      return false
    }
  }

  /// Whether a certificate names inside of what is signed the algorithm that it is signed with (RFC 5280, 4.1.1.2). The
  /// library reads the outer one only.
  private static func hasOneAlgorithm(_ data: Data) -> Bool {
    guard let root = try? DER.parse(Array(data)), let parts = children(root), parts.count == 3,
      let signed = children(parts[0]), signed.count > 2
    else { return false }
    return signed[2].encodedBytes == parts[1].encodedBytes
  }

  private static func children(_ node: ASN1Node) -> [ASN1Node]? {
    guard case .constructed(let nodes) = node.content else { return nil }
    return Array(nodes)
  }
}

/// Refuses each candidate path but leaf, intermediate, anchor, so that the search goes on to that one.
private struct ExactLengthPolicy: VerifierPolicy {
  let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

  func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
    chain.count == CertificatePath.length ? .meetsPolicy : .failsToMeetPolicy(reason: "not leaf, intermediate, anchor")
  }
}

extension ASN1ObjectIdentifier {
  /// On Apple's Worldwide Developer Relations certificates.
  static let appStoreIntermediate: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
  /// On the certificates that sign for the App Store.
  static let appStoreLeaf: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
}
