EXECUTE {text} INTO v USING k;
    GET DIAGNOSTICS hits = ROW_COUNT;
    IF hits > 0 THEN
