public import Foundation
import LocalizedTexts
import RecordStore

/// A list of subscriptions read from a file: all of it is sound, or reading threw and named the place.
public struct SubscriptionList: Hashable, Sendable {
  /// The subscriptions, in the order of the file.
  public let subscriptions: [SubscriptionDetails]

  /// Larger files are refused before they are read.
  public static let largestFileBytes = 16 << 20

  /// The format of a list.
  public enum Format: String, CaseIterable, Sendable {
    /// Comma-separated values, with a line of names.
    case csv
    /// A JSON array.
    case json
  }

  /// Reads a file; the format follows from its name unless it is given.
  /// Throws `unreadableFile`, or `malformedList` with the place; messages start with the file's name.
  public init(contentsOf url: URL, format: Format? = nil, importedAt: Date) throws {
    guard let format = format ?? Format(rawValue: url.pathExtension.lowercased()) else {
      throw SubscriptionError(
        .unreadableFile, Sentence(.unknownKindOfFile, .text(url.lastPathComponent)))
    }
    let bytes = try Self.bytes(of: url)
    do {
      switch format {
      case .csv: try self.init(csv: Self.text(of: bytes), importedAt: importedAt)
      case .json: try self.init(json: bytes, importedAt: importedAt)
      }
    } catch var error as SubscriptionError {
      error.sentence = Sentence(.labelled, .text(url.lastPathComponent), .sentence(error.sentence))
      throw error
    }
  }

  /// A list that was made rather than read.
  public init(_ subscriptions: [SubscriptionDetails]) { self.init(subscriptions, earlierForms: []) }

  /// The rows that say nothing of currency, trial, pause and end, as lists of build 0.1.0.
  private let earlierForms: Set<UUID>

  init(_ subscriptions: [SubscriptionDetails], earlierForms: Set<UUID>) {
    (self.subscriptions, self.earlierForms) = (subscriptions, earlierForms)
  }

  /// By the subscriptions, whatever the form of the file.
  public static func == (left: SubscriptionList, right: SubscriptionList) -> Bool {
    left.subscriptions == right.subscriptions
  }

  /// By the subscriptions.
  public func hash(into hasher: inout Hasher) { hasher.combine(subscriptions) }

  /// Whether the list leaves the terms of a subscription as they are.
  func isEarlierForm(_ id: UUID) -> Bool { earlierForms.contains(id) }

  static func failure(_ trouble: Sentence, at place: TextPosition) -> SubscriptionError {
    SubscriptionError(.malformedList, Sentence(.labelled, .sentence(place.sentence), .sentence(trouble)), at: place)
  }

  private static func bytes(of url: URL) throws -> Data {
    do {
      let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      guard size <= largestFileBytes else {
        throw SubscriptionError(.unreadableFile, Sentence(.listTooLarge, .text(url.lastPathComponent)))
      }
      return try Data(contentsOf: url)
    } catch let error as SubscriptionError {
      throw error
    } catch {
      throw SubscriptionError(
        .unreadableFile, Sentence(.cannotRead, .text(url.path)), cause: error.systemReason)
    }
  }

  /// Strict UTF-8; the error names the first place that is not.
  static func text(of bytes: Data) throws -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var position = TextPosition(line: 1, column: 1)
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { position.advance(over: Character(scalar)) }
    throw failure(Sentence(.notUTF8), at: position)
  }
}
