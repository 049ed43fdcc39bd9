import AgeEncryption
import Foundation
import RecordStore
import RecordSync

/// Encrypted folders: which device has which key, and what is done there without one.
extension ScenarioWorld {
  /// The family's part of an exchange folder, of any key, oldest first, up to the last one that `author` was given.
  func parts(of author: String, in owner: String) -> [URL] {
    let family = replica(owner).folder.appending(path: "tandem1-\(ScenarioWorld.family)")
    guard let ring = replica(author).keyRing else { return [family] }
    return (0...ring.generation).map { family.appending(path: ScenarioKeys.key($0).id) }
  }

  func set(_ state: Scenario.KeyState, on name: String, place: String) throws {
    guard replica(name).keyRing != nil else {
      throw ScenarioError("\(place): the scenario's folders are not encrypted")
    }
    guard state != .given || !forgotten.contains(name) else {
      throw ScenarioError("\(place): \(name) was forgotten, and gets no key of the family any more")
    }
    replica(name).keyRing?.state = state
    if state == .given { replica(name).keyRing?.generation = newestKey }
  }

  /// `name` replaces the key. Nobody else has the new one until it is given.
  func rotate(on name: String, forgetting gone: String?, place: String) throws {
    guard let ring = replica(name).keyRing, ring.generation == newestKey, ring.state == .given, name != gone else {
      throw ScenarioError("\(place): \(name) does not have the family's present key, which it could replace")
    }
    newestKey += 1
    replica(name).keyRing?.generation = newestKey
    guard let gone else { return }
    forgotten.insert(gone)
    if mutation == .forgottenGetsKey { replica(gone).keyRing?.generation = newestKey }
  }

  /// The files that were kept of a folder lie there again, over what is there.
  func replay(in name: String) throws {
    let kept = aside(name, "kept")
    guard FileManager.default.fileExists(atPath: kept.path) else { return }
    for path in try FileManager.default.subpathsOfDirectory(atPath: kept.path).sorted() {
      let source = kept.appending(path: path)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: source.path, isDirectory: &isFolder), !isFolder.boolValue else {
        continue
      }
      try replace(replica(name).folder.appending(path: path), by: source)
    }
  }

  /// The file anew, for the right recipient, with its content and with a code that no holder of the key has made.
  func forge(_ file: URL, place: String) throws {
    guard let key = (0...newestKey).map(ScenarioKeys.key).first(where: { file.pathComponents.contains($0.id) }) else {
      throw ScenarioError("\(place): the scenario's folders are not encrypted")
    }
    var ring = KeyFile(family: ScenarioWorld.family)
    ring.key = key
    do {
      let identity = try X25519Identity(ring.ageIdentity ?? "")
      var plain = try AgeFile.decrypt(Array(try Data(contentsOf: file)), with: [.x25519(identity)])
      guard plain.count >= Self.codeBytes else { throw ScenarioError("\(place): the file has no code") }
      plain[plain.count - Self.codeBytes] ^= 1
      try Data(AgeFile.encrypt(plain, to: [.x25519(identity.recipient)])).write(to: file)
    } catch is AgeError {
      throw ScenarioError("\(place): the file is damaged, and nothing can be made of it")
    }
  }

  /// The code and the mark at the end of a sealed file; in a shared family the end of the signature, and the mark.
  private static let codeBytes = 40
}
