import RecordStore

/// What the world, or a schema, may do to a container or a context. Errors of the store below
/// (`StoreError` of the module RecordStore) pass through as they are; both say what to do.
///
/// Matches as in SwiftData: `catch SwiftDataError.unknownSchema`, or by `code`.
public struct SwiftDataError: Error, Sendable, CustomStringConvertible {
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Value: String {
      case backwardMigration, configurationFileNameContainsInvalidCharacters, configurationFileNameTooLong
      case configurationSchemaNotFoundInContainerSchema, duplicateConfiguration, historyTokenExpired
      case includePendingChangesWithBatchSize, invalidTransactionFetchRequest, loadIssueModelContainer
      case missingModelContext, modelValidationFailure, sortingPendingChangesWithIdentifiers, unknownSchema
      case unsupportedKeyPath, unsupportedPredicate, unsupportedSortDescriptor, unknownDataStoreSchema
      case invalidIdentifier, unsupportedSchema, invalidOnceTransaction
      case aggregateOverflow, saveInSnapshot, objectOfAnotherContext
    }
    fileprivate let value: Value
    public var description: String { value.rawValue }

    public static let backwardMigration = Code(value: .backwardMigration)
    public static let configurationFileNameContainsInvalidCharacters = Code(
      value: .configurationFileNameContainsInvalidCharacters)
    public static let configurationFileNameTooLong = Code(value: .configurationFileNameTooLong)
    public static let configurationSchemaNotFoundInContainerSchema = Code(
      value: .configurationSchemaNotFoundInContainerSchema)
    public static let duplicateConfiguration = Code(value: .duplicateConfiguration)
    public static let historyTokenExpired = Code(value: .historyTokenExpired)
    public static let includePendingChangesWithBatchSize = Code(value: .includePendingChangesWithBatchSize)
    public static let invalidTransactionFetchRequest = Code(value: .invalidTransactionFetchRequest)
    public static let loadIssueModelContainer = Code(value: .loadIssueModelContainer)
    public static let missingModelContext = Code(value: .missingModelContext)
    public static let modelValidationFailure = Code(value: .modelValidationFailure)
    public static let sortingPendingChangesWithIdentifiers = Code(value: .sortingPendingChangesWithIdentifiers)
    public static let unknownSchema = Code(value: .unknownSchema)
    public static let unsupportedKeyPath = Code(value: .unsupportedKeyPath)
    public static let unsupportedPredicate = Code(value: .unsupportedPredicate)
    public static let unsupportedSortDescriptor = Code(value: .unsupportedSortDescriptor)
    public static let unknownDataStoreSchema = Code(value: .unknownDataStoreSchema)
    /// A text that is no identifier.
    public static let invalidIdentifier = Code(value: .invalidIdentifier)
    /// A model uses something that this library does not store.
    public static let unsupportedSchema = Code(value: .unsupportedSchema)
    /// A once transaction inside another, a save inside one, or one that changes two stores.
    public static let invalidOnceTransaction = Code(value: .invalidOnceTransaction)
    /// A sum that no value of its type holds.
    public static let aggregateOverflow = Code(value: .aggregateOverflow)
    /// A save inside ``ModelContext/withSnapshot(_:)``.
    public static let saveInSnapshot = Code(value: .saveInSnapshot)
    /// An insert of an object that another living context has.
    public static let objectOfAnotherContext = Code(value: .objectOfAnotherContext)
  }

  public var code: Code
  public var message: String
  public var cause: (any Error)?

  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  public var description: String { message }
}

// The names of SwiftData, to match against: `catch SwiftDataError.unknownSchema`.
extension SwiftDataError {
  private init(_ code: Code) { self.init(code, code.description) }

  public static let backwardMigration = SwiftDataError(.backwardMigration)
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)

  public static let aggregateOverflow = SwiftDataError(.aggregateOverflow)
  public static let saveInSnapshot = SwiftDataError(.saveInSnapshot)
  public static let objectOfAnotherContext = SwiftDataError(.objectOfAnotherContext)

  /// Whether an error has the code of `left`: what `catch` and `switch` use.
  ///
  /// A `StoreError` matches the names that SwiftData has for its situation: `backwardMigration`,
  /// `historyTokenExpired`, `loadIssueModelContainer` for whatever keeps a store from opening, and
  /// `modelValidationFailure` where the objects do not fit the schema's rules.
  public static func ~= (left: SwiftDataError, right: any Error) -> Bool {
    if let error = right as? StoreError { return error.swiftDataCodes.contains(left.code) }
    return (right as? SwiftDataError)?.code == left.code
  }
}

/// By what is wrong; messages and causes are for people.
extension SwiftDataError: Hashable {
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension StoreError {
  fileprivate var swiftDataCodes: Set<SwiftDataError.Code> {
    switch code {
    case .backwardMigration: [.backwardMigration, .loadIssueModelContainer]
    case .historyTokenExpired: [.historyTokenExpired]
    case .invalidSchema: [.unknownSchema, .loadIssueModelContainer]
    case .incompatibleSchema, .notFound, .notAStore, .newerFormat, .damaged, .networkFileSystem, .permissionDenied,
      .readOnlyFileSystem, .readersFull:
      [.loadIssueModelContainer]
    case .countViolation, .deleteDenied, .uniquenessViolation: [.modelValidationFailure]
    default: []
    }
  }
}
