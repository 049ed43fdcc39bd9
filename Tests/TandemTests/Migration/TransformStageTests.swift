import Foundation
import RecordStore
import Synchronization
import Tandem
import TestSupport
import Testing

private enum ShopV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Customer.self, Order.self] }

  @Model final class Customer {
    var name: String
    @Relationship(inverse: \Order.customer) var orders: [Order] = []
    init(name: String) { self.name = name }
  }

  @Model final class Order {
    var price: String
    var street: String
    var customer: Customer?
    init(price: String, street: String) {
      self.price = price
      self.street = street
    }
  }
}

/// Names have two parts, prices are exact, addresses are objects of their own.
private enum ShopV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Customer.self, Order.self, Address.self] }

  @Model final class Customer {
    var first: String
    var last: String
    @Attribute(.unique) var number: Int
    @Relationship(inverse: \Order.customer) var orders: [Order] = []
    init(first: String, last: String, number: Int) {
      self.first = first
      self.last = last
      self.number = number
    }
  }

  @Model final class Order {
    var price: Decimal
    var customer: Customer?
    var address: Address?
    init(price: Decimal) { self.price = price }
  }

  @Model final class Address {
    @Attribute(.unique) var street: String
    init(street: String) { self.street = street }
  }
}

private enum ShopPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ShopV1.self, ShopV2.self] }
  static var stages: [MigrationStage] { [toV2] }

  static let toV2 = MigrationStage.transform(fromVersion: ShopV1.self, toVersion: ShopV2.self) { stage in
    var number = 0
    try stage.forEach(ShopV1.Customer.self, ShopV2.Customer.self, batchSize: 2) { old, new in
      let parts = old.name.split(separator: " ")
      new.first = parts.first.map(String.init) ?? ""
      new.last = "\(parts.dropFirst().joined(separator: " ")) (\(old.orders.count))"
      new.number = number
      number += 1
    }
    try stage.forEach(ShopV1.Order.self, ShopV2.Order.self, batchSize: 3) { old, new in
      new.price = Decimal(string: old.price) ?? 0
      let address = ShopV2.Address(street: old.street)
      stage.newContext.insert(address)
      new.address = address
    }
  }
}

private enum NamedShop: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 1, 0) }
  static var models: [any PersistentModel.Type] { [Customer.self] }

  @Model final class Customer {
    @Attribute(.unique) var name: String
    init(name: String) { self.name = name }
  }
}

private enum NumberedShop: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 2, 0) }
  static var models: [any PersistentModel.Type] { [Customer.self] }

  @Model final class Customer {
    @Attribute(.unique) var name: Int
    init(name: Int) { self.name = name }
  }
}

private enum NumberingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ShopV1.self, NamedShop.self, NumberedShop.self] }
  static var stages: [MigrationStage] {
    [
      .transform(fromVersion: NamedShop.self, toVersion: NumberedShop.self) { stage in
        try stage.forEach(NamedShop.Customer.self, NumberedShop.Customer.self) { old, new in
          new.name = old.name.last?.wholeNumberValue ?? -1
        }
      }
    ]
  }
}

/// A stage that sees old and new objects together.
struct TransformStageTests {
  private func withShop(_ body: (ModelConfiguration) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result {
      let configuration = ModelConfiguration(url: folder.appending(path: "shop.store"))
      let context = ModelContext(
        try ModelContainer(for: Schema(versionedSchema: ShopV1.self), configurations: [configuration]))
      for number in 0..<5 {
        let customer = ShopV1.Customer(name: "First\(number) Last\(number)")
        context.insert(customer)
        customer.orders = (0..<number).map { ShopV1.Order(price: "\($0).50", street: "Street \($0 % 2)") }
      }
      try context.save()
      try body(configuration)
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func migrated(_ configuration: ModelConfiguration) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: ShopV2.self), migrationPlan: ShopPlan.self, configurations: [configuration])
  }

  @Test func `types, parts and objects are made of the old values`() throws {
    try withShop { configuration in
      let container = try migrated(configuration)
      let context = ModelContext(container)
      let customers = try context.fetch(FetchDescriptor<ShopV2.Customer>(sortBy: [SortDescriptor(\.number)]))
      #expect(customers.map(\.first) == (0..<5).map { "First\($0)" })
      #expect(customers.map(\.last) == (0..<5).map { "Last\($0) (\($0))" })
      #expect(customers.map(\.orders.count) == [0, 1, 2, 3, 4])
      let prices = customers[4].orders.map(\.price).sorted()
      #expect(prices == ["0.5", "1.5", "2.5", "3.5"].map { Decimal(string: $0) })
      #expect(try context.fetchCount(FetchDescriptor<ShopV2.Address>()) == 2)
      #expect(Set(customers[4].orders.compactMap { $0.address?.street }) == ["Street 0", "Street 1"])
      #expect(try container.store.integrityViolations() == [])

      let report = try #require(container.migrationReports.first)
      #expect(report.fromVersion == SchemaVersion(1, 0, 0) && report.toVersion == SchemaVersion(2, 0, 0))
      #expect(report.steps.first == .customStage(from: SchemaVersion(1, 0, 0), to: SchemaVersion(2, 0, 0)))
      #expect(report.steps.contains(.changedType("Order.price", from: .string, to: .decimal)))
      #expect(report.steps.contains(.removedProperty("Customer.name")))
      #expect(report.steps.contains(.addedUniqueness("Customer(number)")))
      let backup = try #require(report.backup)
      #expect(report.description.contains(backup.url.path))
    }
  }

  /// The constraint was taken for the one that was there, and held while all objects had the new type's default.
  @Test func `a unique property changes its type`() throws {
    try withShop { configuration in
      let named = try ModelContainer(
        for: Schema(versionedSchema: NamedShop.self), migrationPlan: NumberingPlan.self,
        configurations: [configuration])
      #expect(named.migrationReports.count == 1)
      let numbered = try ModelContainer(
        for: Schema(versionedSchema: NumberedShop.self), migrationPlan: NumberingPlan.self,
        configurations: [configuration])
      let context = ModelContext(numbered)
      let customers = try context.fetch(FetchDescriptor<NumberedShop.Customer>(sortBy: [SortDescriptor(\.name)]))
      #expect(customers.map(\.name) == (0..<5).map { $0 })
      let third = FetchDescriptor<NumberedShop.Customer>(predicate: #Predicate { $0.name == 3 })
      #expect(try context.fetchCount(third) == 1)
      context.insert(NumberedShop.Customer(name: 3))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<NumberedShop.Customer>()) == 5)
      #expect(try numbered.store.integrityViolations() == [])
    }
  }

  @Test func `the preview plays every step, stages included, and changes nothing`() throws {
    try withShop { configuration in
      func preview() throws -> [MigrationReport] {
        try ModelContainer.migrationPreview(
          for: Schema(versionedSchema: ShopV2.self), migrationPlan: ShopPlan.self, configurations: configuration)
      }
      let played = try preview()
      #expect(played.map(\.isDryRun) == [true])
      #expect(try preview() == played)
      #expect(try RecordStore.backups(of: configuration.url) == [])
      let old = try ModelContainer(for: Schema(versionedSchema: ShopV1.self), configurations: [configuration])
      #expect(try ModelContext(old).fetchCount(FetchDescriptor<ShopV1.Order>()) == 10)
      let real = try migrated(configuration).migrationReports
      #expect(real.map(\.steps) == played.map(\.steps))
      #expect(try preview() == [])
    }
  }

  @Test func `objects and contexts of a stage end with it`() throws {
    try withShop { configuration in
      _ = try ModelContainer(
        for: Schema(versionedSchema: ShopV2.self), migrationPlan: KeepingPlan.self, configurations: [configuration])
      let context = try #require(KeepingPlan.kept.withLock { $0.take() }?.context)
      expectError(.invalidRequest) { try context.fetch(FetchDescriptor<ShopV2.Customer>()) }
    }
  }

  @Test func `an old object cannot be changed`() throws {
    try withShop { configuration in
      let error = #expect(throws: StoreError.self) {
        _ = try ModelContainer(
          for: Schema(versionedSchema: ShopV2.self), migrationPlan: WritingPlan.self, configurations: [configuration])
      }
      #expect(error?.code == .readOnly)
      _ = try migrated(configuration)
    }
  }

  @Test func `a save by another container inside a stage is refused, instead of waiting for ever`() throws {
    try withShop { configuration in
      NestedPlan.place.withLock { $0 = configuration }
      let error = #expect(throws: StoreError.self) {
        _ = try ModelContainer(
          for: Schema(versionedSchema: ShopV2.self), migrationPlan: NestedPlan.self, configurations: [configuration])
      }
      #expect(error?.code == .invalidRequest)
      _ = try migrated(configuration)
    }
  }
}

// Only one test touches it, one thread after the other.
private final class Kept: @unchecked Sendable {
  let context: ModelContext
  init(_ context: ModelContext) { self.context = context }
}

private enum KeepingPlan: SchemaMigrationPlan {
  static let kept = Mutex<Kept?>(nil)
  static var schemas: [any VersionedSchema.Type] { [ShopV1.self, ShopV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ShopV1.self, toVersion: ShopV2.self, willMigrate: nil,
        didMigrate: { context in
          for (number, customer) in try context.fetch(FetchDescriptor<ShopV2.Customer>()).enumerated() {
            customer.number = number
          }
          let keeper = Kept(context)
          kept.withLock { $0 = keeper }
        })
    ]
  }
}

private enum WritingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ShopV1.self, ShopV2.self] }
  static var stages: [MigrationStage] {
    [
      .transform(fromVersion: ShopV1.self, toVersion: ShopV2.self) { stage in
        for customer in try stage.oldContext.fetch(FetchDescriptor<ShopV1.Customer>()) { customer.name = "x" }
        try stage.oldContext.save()
      }
    ]
  }
}

private enum NestedPlan: SchemaMigrationPlan {
  static let place = Mutex<ModelConfiguration?>(nil)
  static var schemas: [any VersionedSchema.Type] { [ShopV1.self, ShopV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: ShopV1.self, toVersion: ShopV2.self,
        willMigrate: { _ in
          guard let configuration = place.withLock({ $0 }) else { return }
          let context = ModelContext(
            try ModelContainer(for: Schema(versionedSchema: ShopV1.self), configurations: [configuration]))
          context.insert(ShopV1.Customer(name: "x"))
          try context.save()
        }, didMigrate: nil)
    ]
  }
}
