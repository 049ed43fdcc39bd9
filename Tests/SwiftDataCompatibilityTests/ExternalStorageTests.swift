import Foundation
import SwiftData
import Testing

@Model final class Negative {
  #Unique<Negative>([\.number])
  var number: Int
  var title: String = ""
  @Attribute(.externalStorage) var scan: Data?
  @Attribute(.externalStorage) var proof: Data = Data()
  var cover: Data? { scan }
  init(number: Int, scan: Data?) { (self.number, self.scan) = (number, scan) }
}

/// Attributes with `.externalStorage` in a store on the disk.
@Suite final class ExternalStorageTests {
  private let folder: URL
  private let container: ModelContainer
  private var store: URL { folder.appending(path: "n.store") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "external-\(UUID().uuidString)")
    container = try ModelContainer(
      for: Negative.self, configurations: ModelConfiguration(url: folder.appending(path: "n.store")))
  }

  deinit { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }

  /// Each call gives others, for the open stores of a process lend each other their files.
  private func bytes(_ count: Int) -> Data { Data((0..<count).map { _ in UInt8.random(in: 0...255) }) }

  private var files: [URL] {
    get throws {
      let all = FileManager.default.enumerator(at: store.appending(path: "blobs"), includingPropertiesForKeys: nil)
      return (all?.allObjects as? [URL] ?? []).filter { $0.lastPathComponent.count == 64 }
    }
  }

  @Test func `a large value lies in a file beside the store, and reads as it was`() throws {
    let context = ModelContext(container)
    let (scan, proof) = (bytes(200_000), bytes(300_000))
    let negative = Negative(number: 1, scan: scan)
    negative.proof = proof
    context.insert(negative)
    try context.save()
    #expect(try files.count == 2)
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Negative>()).first)
    #expect(found.scan == scan && found.proof == proof)
    #expect(try other.fetchCount(FetchDescriptor<Negative>(predicate: #Predicate { $0.scan == scan })) == 1)
    #expect(try other.fetchCount(FetchDescriptor<Negative>(predicate: #Predicate { $0.scan == proof })) == 0)
  }

  @Test func `a save of another property leaves the file as it is`() throws {
    let context = ModelContext(container)
    let negative = Negative(number: 1, scan: bytes(200_000))
    context.insert(negative)
    try context.save()
    let file = try #require(try files.first)
    let before = try FileManager.default.attributesOfItem(atPath: file.path)
    negative.title = "harbour"
    try context.save()
    let after = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
    #expect(before[.modificationDate] as? Date == after[.modificationDate] as? Date)
    #expect(try files.count == 1)
  }

  @Test func `a fetch reads no byte of the values, so it needs no file`() throws {
    let context = ModelContext(container)
    for number in 0..<20 { context.insert(Negative(number: number, scan: bytes(131_072))) }
    try context.save()
    #expect(try files.count == 20)
    try FileManager.default.removeItem(at: store.appending(path: "blobs"))
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Negative>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.number) == Array(0..<20))
    // Asking for the bytes says what is missing.
    let value = try #require(try other.externalValue(of: \.scan, for: found[7]))
    #expect(value.byteCount == 131_072 && !value.isAvailable && value.isInFile)
    let error = #expect(throws: StoreError.self) { try value.data() }
    #expect(error?.code == .damaged && error?.message.contains("scan of Negative") == true)
    #expect(found[7].scan == nil)
  }

  @Test func `a value can be read in pieces, by a handle, and without its bytes`() async throws {
    let context = ModelContext(container)
    let scan = bytes(300_000)
    let negative = Negative(number: 1, scan: scan)
    context.insert(negative)
    let unsaved = try #require(try context.externalValue(of: \.scan, for: negative))
    #expect(!unsaved.isInFile && unsaved.isAvailable)
    #expect(try unsaved.data() == scan && unsaved.fileHandle() == nil)
    try context.save()

    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Negative>()).first)
    let value = try #require(try other.externalValue(of: \.scan, for: found))
    #expect(value.byteCount == 300_000 && value.isInFile && value.isAvailable)
    #expect(try value.sha256 == unsaved.sha256 && value.sha256 == files.first?.lastPathComponent)
    #expect(try value.data() == scan)
    let handle = try #require(try value.fileHandle())
    #expect(try handle.readToEnd() == scan)
    try handle.close()
    var (pieces, sizes) = (Data(), [Int]())
    for try await piece in value.chunks(of: 131_072) {
      pieces.append(piece)
      sizes.append(piece.count)
    }
    #expect(pieces == scan && sizes == [131_072, 131_072, 37_856])
    let empty = try other.externalValue(of: \.proof, for: found)
    #expect(empty.byteCount == 0 && !empty.isInFile)
    for try await _ in empty.chunks() { Issue.record("no bytes have no chunk") }
    let refusal = #expect(throws: SwiftDataError.self) { try other.externalValue(of: \.cover, for: found) }
    #expect(refusal?.code == .unsupportedKeyPath)
  }

  @Test func `setting nil, undo and another context see the value`() throws {
    let context = ModelContext(container)
    let scan = bytes(200_000)
    let negative = Negative(number: 1, scan: scan)
    context.insert(negative)
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    negative.scan = nil
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Negative>()).first?.scan == nil)
    manager.undo()
    try context.save()
    #expect(negative.scan == scan)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Negative>()).first?.scan == scan)
  }

  /// The default store had refused each update of such an object, for the snapshot said nil of what was not there.
  @Test(arguments: [false, true]) func `a snapshot leaves a value alone that is not on this device`(
    isEncoded: Bool
  ) throws {
    let (scan, proof) = (bytes(200_000), bytes(150_000))
    do {
      let context = ModelContext(container)
      let negative = Negative(number: 1, scan: scan)
      negative.proof = proof
      context.insert(negative)
      try context.save()
    }
    let away = folder.appending(path: "away")
    let kept = try files
    try FileManager.default.createDirectory(at: away, withIntermediateDirectories: false)
    for file in kept { try FileManager.default.moveItem(at: file, to: away.appending(path: file.lastPathComponent)) }
    let other = try DefaultStore(
      ModelConfiguration(schema: Schema([Negative.self]), url: store), migrationPlan: nil)
    let context = ModelContext(container)
    let negative = try #require(try context.fetch(FetchDescriptor<Negative>()).first)
    func save() throws {
      var related: [PersistentIdentifier: any BackingData] = [:]
      var snapshot = DefaultSnapshot(from: negative.persistentBackingData, relatedBackingDatas: &related)
      if isEncoded { snapshot = try JSONDecoder().decode(DefaultSnapshot.self, from: JSONEncoder().encode(snapshot)) }
      _ = try other.save(
        DataStoreSaveChangesRequest(
          inserted: [], updated: [snapshot], deleted: [], editingState: context.editingState))
    }
    negative.title = "harbour"
    try save()
    // A fetch of the store gives such snapshots, too.
    let request = DataStoreFetchRequest(descriptor: FetchDescriptor<Negative>(), editingState: context.editingState)
    let fetched = try other.fetch(request).fetchedSnapshots
    _ = try other.save(
      DataStoreSaveChangesRequest(inserted: [], updated: fetched, deleted: [], editingState: context.editingState))
    // Nil may be what somebody has read.
    negative.scan = nil
    let refusal = #expect(throws: StoreError.self) { try save() }
    #expect(refusal?.code == .invalidRequest && refusal?.message.contains("Negative.scan") == true)
    // The value itself changes nothing, and another one takes its place.
    negative.scan = scan
    let new = bytes(180_000)
    negative.proof = new
    try save()
    for file in kept { try FileManager.default.moveItem(at: away.appending(path: file.lastPathComponent), to: file) }
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Negative>()).first)
    #expect(found.title == "harbour" && found.scan == scan && found.proof == new)
  }

  @Test func `an insert that updates another object, and rows in bulk, place their values`() throws {
    let context = ModelContext(container)
    context.insert(Negative(number: 1, scan: bytes(200_000)))
    try context.save()
    let other = bytes(250_000)
    context.insert(Negative(number: 1, scan: other))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Negative>()).map(\.scan) == [other])
    let rows = (2..<5).map { (number: $0, scan: bytes(140_000)) }
    try context.insertAll(Negative.self, rows) { item, row in
      row.number = item.number
      row.scan = item.scan
    }
    let found = try ModelContext(container).fetch(FetchDescriptor<Negative>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.scan) == [other] + rows.map(\.scan))
  }
}
