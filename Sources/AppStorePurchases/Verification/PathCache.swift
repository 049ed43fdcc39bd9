import Crypto
import Foundation
import Synchronization

/// The paths of certificates that held, with the leaf's key and the time within which they hold.
///
/// A path is known by the digests of leaf and intermediate; the anchors are the verifier's, which do not change.
/// Whether a certificate is denied is asked anew each time.
package final class PathCache: Sendable {
  /// An App Store signs with one path at a time, and the history of an account with a few.
  static let capacity = 16

  struct ID: Hashable {
    private let digests: [Data]

    init(_ leaf: Data, _ intermediate: Data) { digests = [leaf, intermediate].map { Data(SHA256.hash(data: $0)) } }
  }

  private struct Entry {
    let id: ID
    let key: P256.Signing.PublicKey
    let validity: ClosedRange<Date>
  }

  /// The newest last.
  private let entries = Mutex<[Entry]>([])
  private let checks = Mutex(0)

  /// How many paths were checked and held, rather than known.
  package var checkedCount: Int { checks.withLock { $0 } }

  /// Nil for a path that is not known, or that did not hold at `time`, which is looked at in whole seconds as the check
  /// itself does.
  func key(of id: ID, at time: Date) -> P256.Signing.PublicKey? {
    guard let second = CertificatePath.wholeSecond(time) else { return nil }
    return entries.withLock { entries in entries.first { $0.id == id && $0.validity.contains(second) }?.key }
  }

  func insert(_ key: P256.Signing.PublicKey, of id: ID, _ validity: ClosedRange<Date>) {
    checks.withLock { $0 += 1 }
    entries.withLock { entries in
      entries.removeAll { $0.id == id }
      entries.append(Entry(id: id, key: key, validity: validity))
      if entries.count > Self.capacity { entries.removeFirst() }
    }
  }
}
