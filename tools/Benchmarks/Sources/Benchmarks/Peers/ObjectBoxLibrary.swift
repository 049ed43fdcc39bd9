import Foundation

/// The library of ObjectBox, which is fetched apart and loaded when a side needs it.
struct ObjectBoxLibrary {
  let path: String

  /// What the names of its sides begin with.
  static let peer = "ObjectBox"
  /// Where `tools/bench --fetch` puts it.
  static let place = "tools/Benchmarks/.build/peers/objectbox-4.0.0/libobjectbox.so"
  static let missing = "ObjectBox is not among the peers: 'tools/bench --fetch' fetches its library"
  /// What its figures leave out.
  static let note = """
    ObjectBox stores raw flatbuffers: no history, no observation of other processes, no change stamps,
    no relationships by declared rules, no objects
    """

  /// Nil where it was not fetched.
  init?(path: String) {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    self.path = path
  }
}

extension Workbench {
  /// The side of ObjectBox, or none where its library was not fetched. We aim to be 1.5 times as fast.
  func besideObjectBox(_ work: String, _ run: @escaping (Int) throws -> Double) -> [Contestant] {
    objectBox == nil ? [] : [Contestant(ObjectBoxLibrary.peer + ", " + work, target: 1.5, run)]
  }

  /// A store of ObjectBox of that name.
  func objectBoxStore(_ name: String, _ rows: [SubscriptionRow] = []) throws -> ObjectBoxStore {
    guard let objectBox else { throw BenchmarkError(ObjectBoxLibrary.missing) }
    let store = try ObjectBoxStore(library: objectBox.path, folder: folder.appending(path: name + ".objectbox"))
    if !rows.isEmpty { try store.insert(rows[...]) }
    return store
  }
}
