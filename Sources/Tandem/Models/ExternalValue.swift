public import Foundation
import RecordStore

/// A value of type `Data` without its bytes: how many there are, and ways to read them piece by piece.
///
/// Of an attribute with `.externalStorage` a value of 128 KiB and more lies in a file beside the store. An instance
/// costs no look at that file, and may be handed to other threads; it stays good as long as the value is stored, and
/// for an hour after that. A smaller value, and one that is not saved yet, is in memory.
///
/// ```swift
/// guard let map = try context.externalValue(of: \.map, for: ride), map.isAvailable else { return 0 }
/// var sent = 0
/// for try await piece in map.chunks(of: 1 << 20) { sent += piece.count }
/// ```
public struct ExternalValue: Sendable {
  fileprivate enum Place: Sendable {
    case memory(Data)
    case file(ExternalReference)
  }

  fileprivate let place: Place
  /// The attribute and its object, for the sentence of an error.
  private let subject: String

  /// Nil for a value that is none of type `data`, such as null.
  init?(_ value: FieldValue, subject: String) {
    guard case .data(let data) = value else { return nil }
    (place, self.subject) = (.memory(data), subject)
  }

  init(_ reference: ExternalReference, subject: String) { (place, self.subject) = (.file(reference), subject) }

  /// A value in a file, of whatever object.
  init(_ reference: ExternalReference) { self.init(reference, subject: "a large value") }

  /// How many bytes the value has.
  public var byteCount: Int {
    switch place {
    case .memory(let data): data.count
    case .file(let reference): reference.valueByteCount
    }
  }

  /// SHA-256 of the bytes in lower-case hexadecimal. Of a value that lies in a file it is known without reading that.
  public var sha256: String {
    switch place {
    case .memory(let data): ExternalReference.name(of: data)
    case .file(let reference): reference.name
    }
  }

  /// Whether the value lies in a file beside the store.
  public var isInFile: Bool { if case .file = place { true } else { false } }

  /// Whether the bytes are there to be read: false until a synchronisation has brought them, and where somebody has
  /// removed the file.
  public var isAvailable: Bool {
    switch place {
    case .memory: true
    case .file(let reference): ExternalFolders.has(reference)
    }
  }

  /// The bytes. Those in a file are mapped: each is read from the device when somebody looks at it, and stays readable
  /// as long as the data, also when the file goes.
  ///
  /// - Throws: `StoreError` `damaged` where the file is missing, or what the system refuses.
  public func data() throws -> Data {
    switch place {
    case .memory(let data): return data
    case .file(let reference):
      guard let data = ExternalFolders.data(of: reference) else {
        throw ExternalFolders.trouble(with: reference) ?? missing
      }
      return data
    }
  }

  /// A handle for reading the file from its beginning, which the caller closes; nil for a value in memory.
  ///
  /// - Throws: as ``data()`` does.
  public func fileHandle() throws -> FileHandle? {
    guard case .file(let reference) = place else { return nil }
    guard let path = ExternalFolders.path(of: reference), let handle = FileHandle(forReadingAtPath: path) else {
      throw ExternalFolders.trouble(with: reference) ?? missing
    }
    return handle
  }

  /// The bytes in pieces of `byteCount`, the last one shorter. Holds one piece at a time.
  public func chunks(of byteCount: Int = 1 << 20) -> Chunks {
    precondition(byteCount > 0, "A chunk has at least one byte.")
    return Chunks(value: self, byteCount: byteCount)
  }

  private var missing: StoreError {
    StoreError(
      .damaged,
      "the value of \(subject) is not on this device, where it lies in a file beside the store: synchronise with a "
        + "device that has it, or restore the store from a copy")
  }

  /// The bytes of a value in pieces; see ``ExternalValue/chunks(of:)``.
  ///
  /// ```swift
  /// let pieces: ExternalValue.Chunks = map.chunks(of: 64 << 10)
  /// let byteCount = try await pieces.reduce(0) { $0 + $1.count }
  /// ```
  public struct Chunks: AsyncSequence, Sendable {
    /// A piece.
    public typealias Element = Data
    fileprivate let value: ExternalValue
    fileprivate let byteCount: Int

    /// Begins at the first byte.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    /// Goes through the pieces.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let chunks: Chunks
      private var rest: Data?

      fileprivate init(chunks: Chunks) { self.chunks = chunks }

      /// The next piece; nil at the end.
      ///
      /// - Throws: what ``ExternalValue/data()`` throws, and `CancellationError`.
      public mutating func next() async throws -> Data? {
        try Task.checkCancellation()
        let left = try rest ?? chunks.value.data()
        guard !left.isEmpty else { return nil }
        rest = left.dropFirst(chunks.byteCount)
        return Data(Array(left.prefix(chunks.byteCount)))
      }
    }
  }
}
