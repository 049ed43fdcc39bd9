import Foundation
import Tandem

/// Accounts before and after their amounts became numbers. The sum is 100 for each account.
enum BooksV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Account.self] }

  @Model final class Account {
    var name: String
    var amount: String
    init(name: String, amount: String) {
      self.name = name
      self.amount = amount
    }
  }
}

enum BooksV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Account.self] }

  @Model final class Account {
    @Attribute(.unique) var name: String
    var amount: Int
    var note: String = ""
    init(name: String, amount: Int) {
      self.name = name
      self.amount = amount
    }
  }
}

enum BooksPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BooksV1.self, BooksV2.self] }
  static var stages: [MigrationStage] { [toV2] }

  struct WrongAmount: Error {}

  static let toV2 = MigrationStage.transform(fromVersion: BooksV1.self, toVersion: BooksV2.self) { stage in
    try stage.forEach(BooksV1.Account.self, BooksV2.Account.self, batchSize: 7) { old, new in
      guard let amount = Int(old.amount) else { throw WrongAmount() }
      new.amount = amount
      new.note = "was \(old.amount)"
    }
  }
}
