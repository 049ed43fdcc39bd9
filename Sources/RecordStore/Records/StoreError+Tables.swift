extension StoreError {
  /// A table or an index that contradicts the records.
  static func damaged(tableOf entity: CatalogueEntity, _ flaw: String) -> StoreError {
    StoreError(
      .damaged, "the store of \(entity.name) is damaged (\(flaw)): run tandem check, which can build indexes anew")
  }
}
