/// The text of `/metrics` before the figures of the process: 2 notifications kept, 1 twice, 1 refused, 4 questions without an
/// answer, commits of 1.5 ms and of 7 s, one of them with 3 notifications.
let metricsText = #"""
    # HELP counterfoil_notifications_total Notifications, by what became of them.
    # TYPE counterfoil_notifications_total counter
    counterfoil_notifications_total{result="kept",code=""} 2
    counterfoil_notifications_total{result="duplicate",code=""} 1
    counterfoil_notifications_total{result="refused",code="bad_json"} 1
    # HELP counterfoil_notification_types_total Notifications that were new, by type and subtype.
    # TYPE counterfoil_notification_types_total counter
    counterfoil_notification_types_total{type="TEST",subtype=""} 0
    # HELP counterfoil_notifications_late_total Deliveries that came half an hour or more after they were signed: attempts before have failed.
    # TYPE counterfoil_notifications_late_total counter
    counterfoil_notifications_late_total 0
    # HELP counterfoil_acknowledgement_duration_seconds From a notification's request to its answer.
    # TYPE counterfoil_acknowledgement_duration_seconds histogram
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.00025"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.0005"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.001"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.0025"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.005"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.01"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.025"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.05"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.1"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.25"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="1"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="5"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="+Inf"} 0
    counterfoil_acknowledgement_duration_seconds_sum 0
    counterfoil_acknowledgement_duration_seconds_count 0
    # HELP counterfoil_verification_duration_seconds The proof of one signed text, revocation included.
    # TYPE counterfoil_verification_duration_seconds histogram
    counterfoil_verification_duration_seconds_bucket{le="5e-05"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.0001"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.00025"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.0005"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.001"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.0025"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.005"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.01"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.05"} 0
    counterfoil_verification_duration_seconds_bucket{le="0.25"} 0
    counterfoil_verification_duration_seconds_bucket{le="1"} 0
    counterfoil_verification_duration_seconds_bucket{le="+Inf"} 0
    counterfoil_verification_duration_seconds_sum 0
    counterfoil_verification_duration_seconds_count 0
    # HELP counterfoil_revocation_lookup_duration_seconds Questions to the responders of certificates.
    # TYPE counterfoil_revocation_lookup_duration_seconds histogram
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.00025"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.0005"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.001"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.0025"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.005"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.01"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.025"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.05"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.1"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.25"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="1"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="5"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="+Inf"} 0
    counterfoil_revocation_lookup_duration_seconds_sum 0
    counterfoil_revocation_lookup_duration_seconds_count 0
    # HELP counterfoil_revocation_lookup_failures_total Questions to responders that got no answer.
    # TYPE counterfoil_revocation_lookup_failures_total counter
    counterfoil_revocation_lookup_failures_total 4
    # HELP counterfoil_commit_duration_seconds One commit to the ledger.
    # TYPE counterfoil_commit_duration_seconds histogram
    counterfoil_commit_duration_seconds_bucket{le="0.00025"} 0
    counterfoil_commit_duration_seconds_bucket{le="0.0005"} 0
    counterfoil_commit_duration_seconds_bucket{le="0.001"} 0
    counterfoil_commit_duration_seconds_bucket{le="0.0025"} 1
    counterfoil_commit_duration_seconds_bucket{le="0.005"} 1
    counterfoil_commit_duration_seconds_bucket{le="0.01"} 1
    counterfoil_commit_duration_seconds_bucket{le="0.025"} 1
    counterfoil_commit_duration_seconds_bucket{le="0.05"} 1
    counterfoil_commit_duration_seconds_bucket{le="0.1"} 1
    counterfoil_commit_duration_seconds_bucket{le="0.25"} 1
    counterfoil_commit_duration_seconds_bucket{le="1"} 1
    counterfoil_commit_duration_seconds_bucket{le="5"} 1
    counterfoil_commit_duration_seconds_bucket{le="+Inf"} 2
    counterfoil_commit_duration_seconds_sum 7.0015
    counterfoil_commit_duration_seconds_count 2
    # HELP counterfoil_commit_notifications Notifications received in one commit.
    # TYPE counterfoil_commit_notifications histogram
    counterfoil_commit_notifications_bucket{le="1"} 0
    counterfoil_commit_notifications_bucket{le="2"} 0
    counterfoil_commit_notifications_bucket{le="4"} 1
    counterfoil_commit_notifications_bucket{le="8"} 1
    counterfoil_commit_notifications_bucket{le="16"} 1
    counterfoil_commit_notifications_bucket{le="32"} 1
    counterfoil_commit_notifications_bucket{le="64"} 1
    counterfoil_commit_notifications_bucket{le="128"} 1
    counterfoil_commit_notifications_bucket{le="256"} 1
    counterfoil_commit_notifications_bucket{le="512"} 1
    counterfoil_commit_notifications_bucket{le="+Inf"} 1
    counterfoil_commit_notifications_sum 3
    counterfoil_commit_notifications_count 1
    # HELP counterfoil_fold_duration_seconds One batch of notifications folded into the ledger.
    # TYPE counterfoil_fold_duration_seconds histogram
    counterfoil_fold_duration_seconds_bucket{le="0.00025"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.0005"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.001"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.0025"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.005"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.01"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.025"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.05"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.1"} 0
    counterfoil_fold_duration_seconds_bucket{le="0.25"} 0
    counterfoil_fold_duration_seconds_bucket{le="1"} 0
    counterfoil_fold_duration_seconds_bucket{le="5"} 0
    counterfoil_fold_duration_seconds_bucket{le="+Inf"} 0
    counterfoil_fold_duration_seconds_sum 0
    counterfoil_fold_duration_seconds_count 0
    # HELP counterfoil_fold_lag_seconds From when a notification was received to when it was folded.
    # TYPE counterfoil_fold_lag_seconds histogram
    counterfoil_fold_lag_seconds_bucket{le="0.01"} 0
    counterfoil_fold_lag_seconds_bucket{le="0.1"} 0
    counterfoil_fold_lag_seconds_bucket{le="1"} 0
    counterfoil_fold_lag_seconds_bucket{le="5"} 0
    counterfoil_fold_lag_seconds_bucket{le="30"} 0
    counterfoil_fold_lag_seconds_bucket{le="300"} 0
    counterfoil_fold_lag_seconds_bucket{le="3600"} 0
    counterfoil_fold_lag_seconds_bucket{le="86400"} 0
    counterfoil_fold_lag_seconds_bucket{le="+Inf"} 0
    counterfoil_fold_lag_seconds_sum 0
    counterfoil_fold_lag_seconds_count 0
    # HELP counterfoil_http_requests_total Requests that were answered.
    # TYPE counterfoil_http_requests_total counter
    # HELP counterfoil_http_request_duration_seconds From a request's head to its answer.
    # TYPE counterfoil_http_request_duration_seconds histogram
    # HELP counterfoil_http_connections_refused_total Connections of clients that had too many.
    # TYPE counterfoil_http_connections_refused_total counter
    counterfoil_http_connections_refused_total 0
    # HELP counterfoil_http_requests_under_way Requests under way.
    # TYPE counterfoil_http_requests_under_way gauge
    counterfoil_http_requests_under_way 0
    # HELP counterfoil_inbox_backlog Notifications that are kept and not yet folded.
    # TYPE counterfoil_inbox_backlog gauge
    # HELP counterfoil_inbox_oldest_age_seconds How long the oldest of them has waited.
    # TYPE counterfoil_inbox_oldest_age_seconds gauge
    # HELP counterfoil_http_body_bytes Request bodies in memory.
    # TYPE counterfoil_http_body_bytes gauge
    # HELP counterfoil_completeness_age_seconds How long ago everything was known to be here.
    # TYPE counterfoil_completeness_age_seconds gauge
    # HELP counterfoil_recovery_failures How often in a row recovery has failed; 0 when it works.
    # TYPE counterfoil_recovery_failures gauge
    # HELP counterfoil_webhook_attempts_total Attempts to deliver to webhooks, by what became of them.
    # TYPE counterfoil_webhook_attempts_total counter
    counterfoil_webhook_attempts_total{result="delivered"} 0
    counterfoil_webhook_attempts_total{result="retried"} 0
    counterfoil_webhook_attempts_total{result="failed"} 0
    counterfoil_webhook_attempts_total{result="discarded"} 0
    # HELP counterfoil_webhook_backlog Deliveries that wait, at most 100,000.
    # TYPE counterfoil_webhook_backlog gauge
    # HELP counterfoil_webhook_oldest_age_seconds How long the oldest delivery has waited.
    # TYPE counterfoil_webhook_oldest_age_seconds gauge
    # HELP counterfoil_webhook_endpoints_disabled Endpoints that are switched off.
    # TYPE counterfoil_webhook_endpoints_disabled gauge
    # HELP counterfoil_root_expiry_timestamp_seconds When a trusted root certificate ends, since 1970.
    # TYPE counterfoil_root_expiry_timestamp_seconds gauge

    """#
