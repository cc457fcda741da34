/// The text of `/metrics` up to the process metrics: two notifications stored, one duplicate, one refused, four failed
/// OCSP requests, commits of 1.5 ms and 7 s, one of them with three notifications.
let metricsText = #"""
    # HELP counterfoil_notifications_total Received notifications by result.
    # TYPE counterfoil_notifications_total counter
    counterfoil_notifications_total{result="kept",code=""} 2
    counterfoil_notifications_total{result="duplicate",code=""} 1
    counterfoil_notifications_total{result="refused",code="bad_json"} 1
    # HELP counterfoil_notification_types_total New notifications by type and subtype.
    # TYPE counterfoil_notification_types_total counter
    counterfoil_notification_types_total{type="TEST",subtype=""} 0
    # HELP counterfoil_notifications_late_total Deliveries half an hour or more after signing, so earlier attempts failed.
    # TYPE counterfoil_notifications_late_total counter
    counterfoil_notifications_late_total 0
    # HELP counterfoil_acknowledgement_duration_seconds Time from a notification's request to its response.
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
    counterfoil_acknowledgement_duration_seconds_bucket{le="0.5"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="1"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="5"} 0
    counterfoil_acknowledgement_duration_seconds_bucket{le="+Inf"} 0
    counterfoil_acknowledgement_duration_seconds_sum 0
    counterfoil_acknowledgement_duration_seconds_count 0
    # HELP counterfoil_verification_duration_seconds Verification time of one notification, including revocation.
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
    # HELP counterfoil_revocation_lookup_duration_seconds Duration of OCSP requests.
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
    counterfoil_revocation_lookup_duration_seconds_bucket{le="0.5"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="1"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="5"} 0
    counterfoil_revocation_lookup_duration_seconds_bucket{le="+Inf"} 0
    counterfoil_revocation_lookup_duration_seconds_sum 0
    counterfoil_revocation_lookup_duration_seconds_count 0
    # HELP counterfoil_revocation_lookup_failures_total OCSP requests without an answer.
    # TYPE counterfoil_revocation_lookup_failures_total counter
    counterfoil_revocation_lookup_failures_total 4
    # HELP counterfoil_commit_duration_seconds Duration of one commit to the ledger.
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
    counterfoil_commit_duration_seconds_bucket{le="0.5"} 1
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
    # HELP counterfoil_processing_duration_seconds Processing time of one batch of notifications.
    # TYPE counterfoil_processing_duration_seconds histogram
    counterfoil_processing_duration_seconds_bucket{le="0.00025"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.0005"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.001"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.0025"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.005"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.01"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.025"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.05"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.1"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.25"} 0
    counterfoil_processing_duration_seconds_bucket{le="0.5"} 0
    counterfoil_processing_duration_seconds_bucket{le="1"} 0
    counterfoil_processing_duration_seconds_bucket{le="5"} 0
    counterfoil_processing_duration_seconds_bucket{le="+Inf"} 0
    counterfoil_processing_duration_seconds_sum 0
    counterfoil_processing_duration_seconds_count 0
    # HELP counterfoil_processing_lag_seconds Time from receiving a notification to processing it.
    # TYPE counterfoil_processing_lag_seconds histogram
    counterfoil_processing_lag_seconds_bucket{le="0.01"} 0
    counterfoil_processing_lag_seconds_bucket{le="0.1"} 0
    counterfoil_processing_lag_seconds_bucket{le="1"} 0
    counterfoil_processing_lag_seconds_bucket{le="5"} 0
    counterfoil_processing_lag_seconds_bucket{le="30"} 0
    counterfoil_processing_lag_seconds_bucket{le="300"} 0
    counterfoil_processing_lag_seconds_bucket{le="3600"} 0
    counterfoil_processing_lag_seconds_bucket{le="86400"} 0
    counterfoil_processing_lag_seconds_bucket{le="+Inf"} 0
    counterfoil_processing_lag_seconds_sum 0
    counterfoil_processing_lag_seconds_count 0
    # HELP counterfoil_ready 1 if the server is ready for requests, otherwise 0.
    # TYPE counterfoil_ready gauge
    # HELP counterfoil_ledger_log_bytes Size of the ledger's write-ahead log, in bytes.
    # TYPE counterfoil_ledger_log_bytes gauge
    # HELP counterfoil_http_requests_total Requests with a response.
    # TYPE counterfoil_http_requests_total counter
    # HELP counterfoil_http_request_duration_seconds Time from a request's head to its response.
    # TYPE counterfoil_http_request_duration_seconds histogram
    # HELP counterfoil_http_connections_refused_total Connections refused because the client had too many.
    # TYPE counterfoil_http_connections_refused_total counter
    counterfoil_http_connections_refused_total 0
    # HELP counterfoil_http_requests_under_way Requests in progress.
    # TYPE counterfoil_http_requests_under_way gauge
    counterfoil_http_requests_under_way 0
    # HELP counterfoil_inbox_backlog Notifications waiting to be processed.
    # TYPE counterfoil_inbox_backlog gauge
    # HELP counterfoil_inbox_oldest_age_seconds Waiting time of the oldest notification in the inbox.
    # TYPE counterfoil_inbox_oldest_age_seconds gauge
    # HELP counterfoil_notifications_failed Stored notifications that could not be processed.
    # TYPE counterfoil_notifications_failed gauge
    # HELP counterfoil_http_body_bytes Request bodies in memory.
    # TYPE counterfoil_http_body_bytes gauge
    # HELP counterfoil_completeness_age_seconds Time since completeness was last known.
    # TYPE counterfoil_completeness_age_seconds gauge
    # HELP counterfoil_recovery_failures Consecutive recovery failures.
    # TYPE counterfoil_recovery_failures gauge
    # HELP counterfoil_history_requests Purchase histories waiting to be requested.
    # TYPE counterfoil_history_requests gauge
    # HELP counterfoil_consumption_requests_total Consumption requests by result.
    # TYPE counterfoil_consumption_requests_total counter
    counterfoil_consumption_requests_total{environment="Production",result="missed"} 0
    counterfoil_consumption_requests_total{environment="Production",result="refused"} 0
    counterfoil_consumption_requests_total{environment="Production",result="sent"} 0
    counterfoil_consumption_requests_total{environment="Production",result="withheld"} 0
    counterfoil_consumption_requests_total{environment="Sandbox",result="missed"} 0
    counterfoil_consumption_requests_total{environment="Sandbox",result="refused"} 0
    counterfoil_consumption_requests_total{environment="Sandbox",result="sent"} 0
    counterfoil_consumption_requests_total{environment="Sandbox",result="withheld"} 0
    # HELP counterfoil_consumption_backlog Consumption requests whose answer was not accepted yet.
    # TYPE counterfoil_consumption_backlog gauge
    # HELP counterfoil_consumption_oldest_age_seconds Age of the oldest consumption request in the backlog.
    # TYPE counterfoil_consumption_oldest_age_seconds gauge
    # HELP counterfoil_webhook_attempts_total Webhook delivery attempts by result.
    # TYPE counterfoil_webhook_attempts_total counter
    counterfoil_webhook_attempts_total{result="delivered"} 0
    counterfoil_webhook_attempts_total{result="retried"} 0
    counterfoil_webhook_attempts_total{result="failed"} 0
    counterfoil_webhook_attempts_total{result="discarded"} 0
    # HELP counterfoil_webhook_backlog Pending webhook deliveries, at most 100,000.
    # TYPE counterfoil_webhook_backlog gauge
    # HELP counterfoil_webhook_oldest_age_seconds Waiting time of the oldest webhook delivery, or event without one.
    # TYPE counterfoil_webhook_oldest_age_seconds gauge
    # HELP counterfoil_webhook_endpoints_disabled Disabled webhook endpoints.
    # TYPE counterfoil_webhook_endpoints_disabled gauge
    # HELP counterfoil_root_expiry_timestamp_seconds Expiry of a trusted root certificate, in seconds since 1970.
    # TYPE counterfoil_root_expiry_timestamp_seconds gauge
    # HELP counterfoil_tls_expiry_timestamp_seconds Expiry of the server's TLS certificate, in seconds since 1970.
    # TYPE counterfoil_tls_expiry_timestamp_seconds gauge

    """#
