import Crypto
import Foundation
import SwiftASN1
import X509

/// The certificates and the key that sign transactions: a root, an intermediate and a leaf.
struct SigningChain: Hashable, Sendable {
  /// Rises with each rotation; the first chain has 1.
  var generation: Int
  var root: CertificateAuthority.Identity
  var intermediate: CertificateAuthority.Identity
  var leaf: CertificateAuthority.Identity

  /// A first chain, root included.
  init(seed: UInt64) throws {
    let authority = CertificateAuthority(seed: seed, generation: 1)
    generation = 1
    root = try authority.root()
    intermediate = try authority.intermediate(signedBy: root)
    leaf = try authority.leaf(signedBy: intermediate)
  }

  init(
    generation: Int, root: CertificateAuthority.Identity, intermediate: CertificateAuthority.Identity,
    leaf: CertificateAuthority.Identity
  ) {
    self.generation = generation
    self.root = root
    self.intermediate = intermediate
    self.leaf = leaf
  }

  /// The next intermediate and leaf; the root stays unless it is to change too.
  func rotated(seed: UInt64, includingRoot: Bool, leafNotAfter: Date) throws -> SigningChain {
    let authority = CertificateAuthority(seed: seed, generation: generation + 1)
    let root = includingRoot ? try authority.root() : root
    let intermediate = try authority.intermediate(signedBy: root)
    let leaf = try authority.leaf(signedBy: intermediate, notAfter: leafNotAfter)
    return SigningChain(generation: generation + 1, root: root, intermediate: intermediate, leaf: leaf)
  }

  /// Leaf, intermediate, root, in the order of a token's `x5c`.
  var certificates: [[UInt8]] { [leaf.certificate, intermediate.certificate, root.certificate] }

  /// The root as text for `openssl` and people.
  var rootPEM: String {
    get throws { try Certificate(derEncoded: root.certificate).serializeAsPEM().pemString + "\n" }
  }
}
