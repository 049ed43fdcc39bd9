import Foundation
import RecordStore

/// One family's files: those in the device's own copy, and those that a transport lists.
///
/// Names tell which files are missing on either side, for each has the hash of its content in its name. The own copy is
/// not encrypted; names and lengths of the other side are those of sealed files where the family has a key.
struct TransportFamily {
  let place: DeviceDirectory.Place
  let own: ExchangeFolder
  /// The folder of the family as if the transport's place were the root of a disk. Gives names; nothing is read there.
  let remote: ExchangeFolder
  let listing: TransportListing

  init(_ place: DeviceDirectory.Place, own: ExchangeFolder, key: FamilyKey?, listing: TransportListing) {
    (self.place, self.own, self.listing) = (place, own, listing)
    remote = place.exchangeFolder(in: URL(filePath: "/", directoryHint: .isDirectory), key: key)
  }

  func path(_ url: URL) -> String { String(url.path.dropFirst()) }

  var marker: String { path(remote.marker) }
  var isMarked: Bool { !listing.byteCounts(of: marker).isEmpty }
  /// Whether any file of the family is listed.
  var isListed: Bool { isMarked || !listing.paths(below: path(remote.url)).isEmpty }

  /// The markers by which the device knows whether it may write: without a key also that of an encrypted folder.
  var markers: [String] {
    let sealed = remote.url.lastPathComponent + "/" + StoreMarker.name
    return Set(remote.seal == nil ? [marker, sealed] : [marker]).filter { !listing.byteCounts(of: $0).isEmpty }.sorted()
  }

  /// Whether files are listed that are encrypted, though the device has no key.
  var isSealedElsewhere: Bool {
    guard remote.seal == nil else { return false }
    return [path(remote.url), remote.url.lastPathComponent].contains { folder in
      listing.folders(in: folder).contains { $0.utf8.count == 32 && $0.utf8.allSatisfy(\.isLowerHexadecimalDigit) }
    }
  }

  /// Folders of files that are not encrypted, though the family has a key.
  var clearFolders: [String] {
    // Those of a shared family are never in clear; what lies at its place is another family's.
    guard let seal = remote.seal, seal.key.membership == nil else { return [] }
    let folders = [path(remote.url.appending(path: "r")), "\(place.group)/\(place.name).exchange"]
    return folders.filter { !listing.paths(below: $0).isEmpty }
  }

  /// Files that are encrypted with keys that the present one has replaced, or were not before there was one.
  var formerFiles: [String] {
    guard let seal = remote.seal else { return [] }
    return seal.key.formerIDs.sorted().flatMap { listing.paths(below: path(remote.url.appending(path: $0))) }
  }

  var replicas: [ReplicaID] {
    listing.folders(in: path(remote.replicas)).compactMap { UInt64(exactHexadecimal: $0).map(ReplicaID.init) }
  }

  /// The heads that are listed, in rising order.
  func headNames(of replica: ReplicaID) -> [HeadName] {
    listing.files(in: path(remote.heads(of: replica))).keys.compactMap(remote.headName).sorted()
  }

  /// The paths of the listed parts of a snapshot; empty as long as its manifest, which comes last, is not listed.
  func parts(of name: SnapshotName, _ replica: ReplicaID) -> [String] {
    let folder = path(remote.folder(name, of: replica))
    let names = listing.files(in: folder).keys
    return names.contains(SnapshotName.manifest) ? names.sorted().map { "\(folder)/\($0)" } : []
  }

  func snapshotNames(of replica: ReplicaID) -> [SnapshotName] {
    listing.folders(in: path(remote.snapshots(of: replica))).compactMap(remote.snapshotName).sorted()
  }

  /// How files are listed, as a text that changes when one of them does.
  func look(of paths: [String]) -> String {
    paths.map { path in
      "\(path) \(listing.byteCounts(of: path).sorted().map(String.init).joined(separator: " "))"
    }.joined(separator: "\n")
  }
}
